package manifest

// Nearest returns the word that is most like another, or "" if none differs in two letters at most.
func Nearest(word string, words []string) (nearest string) {
	fewest := min(3, len(word))
	for _, w := range words {
		if d := distance(word, w, 2); d < fewest {
			nearest, fewest = w, d
		}
	}
	return nearest
}

// distance returns the Levenshtein distance of a and b, in bytes, if it is at most so large, or
// else a larger number.
func distance(a, b string, most int) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return distance(a[1:], b[1:], most)
	case most == 0:
		return 1
	}
	return 1 + min(distance(a[1:], b, most-1), distance(a, b[1:], most-1), distance(a[1:], b[1:], most-1))
}
