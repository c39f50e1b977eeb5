package figures

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/text"
)

func TestIntervalPlaces(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		v    Interval
		want [3]float64 // value, low, high
		ok   bool
	}{
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 1, Above: true}, [3]float64{0.5, 0.25, 1}, true},
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 1}, [3]float64{-0.5, -0.25, -1}, true},
		{Interval{Value: -1, Low: -3, High: 1, Threshold: 0, Above: true}, [3]float64{-1. / 3, -1, 1. / 3}, true},
		{Interval{Value: 2, Low: -inf, High: inf, Threshold: 1, Above: true}, [3]float64{1, -1, 1}, true},
		{Interval{Threshold: 0}, [3]float64{}, true},
		{Interval{Value: nan, Low: 0, High: 1}, [3]float64{}, false},
		{Interval{Value: 0, Low: nan, High: 1}, [3]float64{}, false},
		{Interval{Value: 0, Low: 0, High: nan}, [3]float64{}, false},
	} {
		value, low, high, ok := c.v.places()
		if got := [3]float64{value, low, high}; got != c.want || ok != c.ok {
			t.Errorf("%+v: %v %t, want %v %t", c.v, got, ok, c.want, c.ok)
		}
	}
}

func TestWrap(t *testing.T) {
	sty := words(textSize, text.XLeft, text.YTop)
	s := "one two three four five sixsevenweighttenelevenandtwelve 13"
	width := sty.Width("three four")
	got := wrap(s, sty, width)
	if want := "one two\nthree four\nfive\nsixsevenweighttenelevenandtwelve\n13"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if strings.Join(strings.Fields(got), " ") != s {
		t.Errorf("words are lost in %q", got)
	}
	if got := wrap("", sty, width); got != "" {
		t.Errorf("nothing becomes %q", got)
	}
}

func TestIntervals(t *testing.T) {
	row := Interval{Text: "a", Note: "b", Sign: "holds", Value: 1, Low: 0.5, High: 2, Threshold: 0, Above: true}
	open := row
	open.Sign, open.Value = "open", math.NaN()
	one := Intervals([]IntervalGroup{{Title: "t", Intervals: []Interval{row}}})
	two := Intervals([]IntervalGroup{{Title: "t", Intervals: []Interval{row, open}}, {Title: "u", Intervals: []Interval{row}}})
	if !(two.height > one.height) || two.width != one.width {
		t.Errorf("%v × %v, and with more %v × %v", one.width, one.height, two.width, two.height)
	}
	for _, format := range []string{"png", "svg", "pdf"} {
		a, err := two.Encode(format)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := two.Encode(format); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs the second time, %v", format, err)
		}
	}
	moved := row
	moved.Value = 1.5
	a, _ := one.Encode("svg")
	if b, _ := Intervals([]IntervalGroup{{Title: "t", Intervals: []Interval{moved}}}).Encode("svg"); bytes.Equal(a, b) {
		t.Error("another value looks the same")
	}
	outside, bad := row, row
	outside.Value, bad.Threshold = 3, math.NaN()
	for _, v := range []Interval{outside, bad} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was drawn", v)
				}
			}()
			Intervals([]IntervalGroup{{Intervals: []Interval{v}}})
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("a figure of nothing")
		}
	}()
	Intervals([]IntervalGroup{{Title: "t"}})
}
