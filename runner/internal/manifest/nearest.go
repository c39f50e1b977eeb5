package manifest

// Nearest returns the word that is most like another, or "" if none differs in two letters at most.
func Nearest(word string, words []string) string {
	for most := range min(3, len(word)) {
		for _, w := range words {
			if within(word, w, most) {
				return w
			}
		}
	}
	return ""
}

// within reports whether the Levenshtein distance of a and b, in bytes, is at most so large.
func within(a, b string, most int) bool {
	switch {
	case a == "" || b == "":
		return len(a)+len(b) <= most
	case a[0] == b[0]:
		return within(a[1:], b[1:], most)
	}
	return most > 0 && (within(a[1:], b, most-1) || within(a, b[1:], most-1) || within(a[1:], b[1:], most-1))
}
