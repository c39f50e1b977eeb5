package fetch

import (
	"bytes"
	"compress/gzip"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		source Source
		parts  []string
		header string
		want   string // without the header; begins with "error: " for an error
	}{
		{"as it is", Source{}, []string{"1,2\n3,4\n"}, "a,b", "1,2\n3,4\n"},
		{"blank lines and no last line end", Source{}, []string{"\n1,2\r\n \r\n3,4"}, "a,b", "1,2\n3,4\n"},
		{"empty", Source{}, []string{"\n"}, "a,b", ""},
		{"tabs", Source{Separator: "\t"}, []string{"1\t2 3\n"}, "a,b", "1,2 3\n"},
		{"blanks", Source{Separator: " "}, []string{" 1  2\t3 \n"}, "a,b,c", "1,2,3\n"},
		{"skip in every part", Source{Skip: 1}, []string{"x\n1,2\n", "\n3,4\n5,6\n"}, "a,b", "1,2\n3,4\n5,6\n"},
		{"part without a last line end", Source{}, []string{"1,2", "3,4"}, "a,b", "1,2\n3,4\n"},
		{"columns", Source{Columns: "3-4,1,3"}, []string{"1,2,3,4\n"}, "a,b,c,d", "3,4,1,3\n"},
		{"rows of other lengths", Source{Columns: "2"}, []string{"1,2\n3,4,5\n"}, "a", "2\n4\n"},
		{"missing", Source{Columns: "1,3", Missing: "NA"}, []string{"1,NA,2\n3,4,NA\nNA,5,6\n7,8,NAN\n"}, "a,b", "1,2\n7,NAN\n"},
		{"leading zero", Source{LeadingZero: true}, []string{".5,0.5\n1.5,.\n-.5,\n"}, "a,b", "0.5,0.5\n1.5,0.\n-.5,\n"},
		{"corrections", Source{LeadingZero: true, Missing: "NA", Corrections: []Correction{{2, 1, "0.5", "9"}, {1, 2, "2", ""}}}, []string{"NA,1\n1,2\n.5,4\n"}, "a,b", "1,\n9,4\n"},
		{"correction of another value", Source{Corrections: []Correction{{1, 2, "3", "4"}}}, []string{"1,2\n"}, "a,b", `error: row 1, column 2 is "2", and is to be corrected from "3" to "4"`},
		{"correction of no row", Source{Corrections: []Correction{{2, 2, "3", "4"}}}, []string{"1,2\n"}, "a,b", "error: row 2 is to be corrected, and there are 1"},
		{"too few", Source{}, []string{"1,2\n", "x,y\n\n1\n"}, "a,b", "error: part 2, line 3: 1 fields, need 2"},
		{"too many", Source{}, []string{"1,2,3\n"}, "a,b", "error: part 1, line 1: 3 fields, need 2"},
		{"no such column", Source{Columns: "1,3"}, []string{"1,2\n"}, "a,b", "error: part 1, line 1: 2 fields, need column 3"},
		{"not a table", Source{}, []string{"<html>\n"}, "a,b", "error: part 1, line 1: 1 fields, need 2"},
	} {
		var err error
		if c.source.columns, err = parseColumns(c.source.Columns); err != nil {
			t.Fatal(err)
		}
		parts := make([][]byte, len(c.parts))
		for i := range parts {
			parts[i] = []byte(c.parts[i])
		}
		file := File{Header: c.header}
		got, err := file.convert(&c.source, parts)
		text := string(got)
		want := c.header + "\n" + c.want
		if err != nil {
			text, want = "error: "+err.Error(), c.want
		}
		if text != want {
			t.Errorf("%s: %q, want %q", c.name, text, want)
		}
		for i := range parts {
			if string(parts[i]) != c.parts[i] {
				t.Errorf("%s: part %d was modified", c.name, i+1)
			}
		}
	}
}

// picture encodes a picture of 3×4 tiles of 2×2 pixels whose pixel (x, y) is of the
// grey level 16y+x.
func picture(t testing.TB, img interface {
	image.Image
	Set(x, y int, c color.Color)
},
) []byte {
	t.Helper()
	for y := range 8 {
		for x := range 6 {
			img.Set(x, y, color.Gray{Y: uint8(16*y + x)})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCut(t *testing.T) {
	bounds := image.Rect(0, 0, 6, 8)
	for name, p := range map[string][]byte{
		"grey":   picture(t, image.NewGray(bounds)),
		"RGBA":   picture(t, image.NewRGBA(bounds)),
		"16 bit": picture(t, image.NewGray16(bounds)),
	} {
		source := Source{Tile: 2, ClassRows: 2}
		labels := unzip(t, &File{IDX: "labels"}, &source, p)
		if want := "\x00\x00\x08\x01\x00\x00\x00\x0c" + strings.Repeat("\x00", 6) + strings.Repeat("\x01", 6); labels != want {
			t.Errorf("%s: labels %q, want %q", name, labels, want)
		}
		want := "\x00\x00\x08\x03\x00\x00\x00\x0c\x00\x00\x00\x02\x00\x00\x00\x02"
		for y := 0; y < 8; y += 2 {
			for x := 0; x < 6; x += 2 {
				p := 16*y + x
				want += string([]byte{byte(p), byte(p + 1), byte(p + 16), byte(p + 17)})
			}
		}
		if images := unzip(t, &File{IDX: "images"}, &source, p); images != want {
			t.Errorf("%s: images %q, want %q", name, images, want)
		}
	}
}

func unzip(t testing.TB, file *File, source *Source, part []byte) string {
	t.Helper()
	data, err := file.convert(source, [][]byte{part})
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestCutErrors(t *testing.T) {
	good := picture(t, image.NewGray(image.Rect(0, 0, 6, 8)))
	clear := picture(t, image.NewNRGBA(image.Rect(0, 0, 8, 8))) // two columns are transparent
	coloured := func(c color.Color) []byte {
		img := image.NewRGBA(image.Rect(0, 0, 6, 8))
		picture(t, img)
		img.Set(5, 7, c)
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		picture         []byte
		tile, classRows int
		want            string
	}{
		{[]byte("<html>"), 2, 2, "PNG: "},
		{good[:len(good)-20], 2, 2, "PNG: "},
		{good, 4, 2, "picture: 6×8 pixels; need tiles of 4×4"},
		{good, 3, 2, "picture: 6×8 pixels; need tiles of 3×3"},
		{good, 10, 2, "picture: 6×8 pixels; need tiles of 10×10"},
		{good, 2, 3, "picture: 4 rows of tiles; need 3 per class"},
		{clear, 2, 2, "picture: pixel (6, 0) is not grey and opaque"},
		{coloured(color.RGBA{1, 3, 1, 255}), 2, 2, "picture: pixel (5, 7) is not grey and opaque"},
		{coloured(color.RGBA{1, 1, 3, 255}), 2, 2, "picture: pixel (5, 7) is not grey and opaque"},
	} {
		_, err := (&Source{Tile: c.tile, ClassRows: c.classRows}).cut("images", c.picture)
		fails(t, err, c.want)
	}
}

func TestParseColumns(t *testing.T) {
	for text, want := range map[string][]int{"": nil, "1": {0}, "3-5,1": {2, 3, 4, 0}, "2-2,2": {1, 1}} {
		got, err := parseColumns(text)
		if err != nil || len(got) != len(want) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q: %d, want %d", text, got, want)
			}
		}
	}
	for _, text := range []string{"0", "a", "1,", "3-2", "1-", "-1", "1-2-3", "1-10000", " 1"} {
		if _, err := parseColumns(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
