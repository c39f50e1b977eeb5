package claims

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const vouchedManifest = `
name = "v"; study = "vouched"; seed = 1
[[figure]]; method = "a"; source = "s"; setting = "t"; quantity = "error"; theirs = 0.29; manifest = "m"; table = "summary"; rows = ["method=a", "set=x"]; value = "error"
[[figure]]; method = "b"; source = "s"; setting = "t"; quantity = "error"; theirs = 0.41; note = "n"; manifest = "m"; table = "summary"; rows = ["method=b"]; value = "error"
[[test]]; methods = ["c", "d"]; source = "s"; setting = "t"; test = "TestIt"
`

// The interval of another seed is √(n+1) times as wide as that of the mean, also where one end was cut at 0.
func TestVouched(t *testing.T) {
	summary := "set,method,seeds,error,error_low,error_high\nx,a,3,0.2,0.15,0.25\ny,a,3,0.9,0.8,1\nx,b,8,0.1,0,0.2\n"
	use := func(overrides ...string) (*vouched, error) {
		e := studytest.New(t, Vouched, vouchedManifest, overrides...).(*vouched)
		return e, e.Use(func(experiment, name string) (*table.Table, error) {
			check.Equal(t, fmt.Sprintf("reads %s of %s", name, experiment), experiment+"/"+name, "m/summary")
			return table.Read(name, strings.NewReader(summary))
		})
	}
	e := check.Must(use())
	tables := check.Must(e.Tables(nil))
	v := tables.Get("vouched")
	if got := v.Texts("agrees"); !slices.Equal(got, []string{"yes", "no", "tested", "tested"}) || v.Texts("method")[3] != "d" {
		t.Errorf("agrees %v of %v", got, v.Texts("method"))
	}
	check.NearAll(t, "low", v.Nums("low")[:2], []float64{0.1, -0.2}, 1e-12)
	check.NearAll(t, "high", v.Nums("high")[:2], []float64{0.3, 0.4}, 1e-12)
	for override, want := range map[string]string{"figure.2.value=brier": "brier is not a column", "figure.1.rows=['method=a']": "2 rows", "figure.2.rows=['rule=b']": "rule is not a column"} {
		_, err := use(override)
		check.Refuses(t, override, err, "figure.", "m/summary", want)
	}
}

// The tests of the manifest are of the methods that the reference file has.
func TestVouchedMethods(t *testing.T) {
	const root = "../../../.."
	m := check.Must(config.Read(filepath.Join(root, "experiments", "vouched.toml"), nil))
	e := check.Must(Vouched.New(m))
	listed, compared := map[string]bool{}, map[string]bool{}
	for _, test := range e.(*vouched).Tests {
		for _, method := range test.Methods {
			listed[method] = true
		}
	}
	for _, record := range check.Records(t, filepath.Join(root, "baselines", "testdata", "reference.csv")) {
		compared[record[0]] = true
	}
	check.Equal(t, "the manifest lists", listed, compared)
}
