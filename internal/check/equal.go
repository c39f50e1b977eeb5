package check

import (
	"fmt"
	"reflect"
	"testing"
)

// Equal fails unless got is want, deeply. It shows the first 1,000 characters of each.
func Equal[T any](t testing.TB, what any, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %.1000s, want %.1000s", what, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
	}
}
