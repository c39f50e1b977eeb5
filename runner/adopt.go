package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"closedform/core/random"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

func (p *program) adoptCommand(f *flag.FlagSet) action {
	p.workFlags(f)
	f.DurationVar(&p.budget, "budget", 10*time.Minute, "most processor `time` for the sample of each experiment")
	return func(ctx context.Context, names []string) error {
		p.computeHere()
		p.adopting = true
		return p.loadAndRun(ctx, names)
	}
}

// adoption is the result of checking cells that other code computed.
type adoption struct {
	old     *store.CellSums
	of      []*store.CellSum // by cell: what was published of it, from the same spec; nil: nothing
	stale   []int            // cells that other code has computed
	changed bool             // the manifest has, so that the tables may have other rows
	sample  []int            // stale cells that are recomputed
	strata  int              // of the stale cells
	dear    map[string]bool  // strata of which no cell is in the sample, as each takes too long
	differs map[string]bool  // strata of which the code makes other content
}

// adopt marks published cells that other code computed from the same specs as cells of the current code.
// It recomputes a sample of every stratum and the short form of the experiment; strata
// whose content differs are left to be computed. It reports whether the results are
// complete: no cell needs to be computed or merged.
func (j *job) adopt(ctx context.Context) (done bool, err error) {
	a, err := j.adoption()
	if errors.Is(err, fs.ErrNotExist) {
		j.say("%s: nothing to adopt: nothing is published in %s\n", j.Name, j.dir)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(a.stale) == 0 {
		if !a.changed {
			j.say("%s: nothing to adopt: %s is of this code\n", j.Name, j.dir)
		}
		return !a.changed, nil
	}
	if len(j.Short) > 0 {
		if err := j.computeShortForm(ctx); err != nil {
			return false, err
		}
	}
	j.draw(a)
	merged, err := j.check(ctx, a)
	if err != nil {
		return false, err
	}
	adopted, here, err := j.takeOver(a)
	if err != nil {
		return false, err
	}
	checked := fmt.Sprintf("recomputed %d cells, of %d of %d strata, in %s", len(a.sample), a.strata-len(a.dear), a.strata, j.took())
	if other := len(a.differs) > 0 || a.changed || !merged; here < adopted && other {
		j.say("%s: %s; %s does not have the other cells, of which tables are made: computing them\n",
			j.Name, checked, j.dir)
		return false, nil
	}
	j.say("%s: %s; adopted %d of %d cells\n", j.Name, checked, adopted, len(a.of))
	j.adopted = store.Adopted{Recomputed: len(a.sample), Strata: a.strata - len(a.dear), Short: len(a.dear)}
	if here < adopted {
		return true, j.restamp(a)
	}
	return false, nil // the tables are made of the cells
}

// adoption compares the origins of the published cells with the current ones.
func (j *job) adoption() (*adoption, error) {
	results, err := store.OpenResults(j.dir)
	if err != nil {
		return nil, err
	}
	if bad := results.Differing(); len(bad) > 0 {
		return nil, fmt.Errorf("%s: the checksums in SHA256SUMS are not those of %s", j.dir, strings.Join(bad, ", "))
	}
	a := &adoption{of: make([]*store.CellSum, len(j.work.Cells)), differs: map[string]bool{}}
	if a.old, err = store.ReadCellSums(j.dir); err != nil {
		return nil, err
	}
	manifest, err := os.ReadFile(filepath.Join(j.dir, "manifest.toml"))
	if err != nil {
		return nil, err
	}
	byKey := a.old.ByKey()
	a.changed = len(byKey) != len(a.of) || !bytes.Equal(manifest, j.resolved)
	for i, c := range j.work.Cells {
		old := byKey[c.Key]
		if old == nil || old.Spec != store.ShortSpec(j.origins[i].Spec) {
			a.changed = true
			continue
		}
		if a.of[i] = old; old.Code != j.origins[i].Code {
			a.stale = append(a.stale, i)
		}
	}
	return a, nil
}

// sampled is the share of the cells of a stratum that are recomputed; at least one is.
const sampled = 0.05

// draw draws the sample: of each stratum cells that take little time, at random among those
// that take about as long. Those that take longest are left out if all take longer than the
// budget and the short form speaks for their strata.
func (j *job) draw(a *adoption) {
	rnd := rand.New(random.Source("adopt", j.Name, j.version))
	groups, seconds, expected := map[string][]int{}, j.work.Expected(a.stale), map[int]float64{}
	for _, k := range rnd.Perm(len(a.stale)) {
		i := a.stale[k]
		name := j.work.Cells[i].Group()
		groups[name], expected[i] = append(groups[name], i), seconds[k]
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		group := groups[name]
		slices.SortStableFunc(group, func(a, b int) int {
			return cmp.Compare(math.Round(math.Log2(expected[a])), math.Round(math.Log2(expected[b])))
		})
		a.sample = append(a.sample, group[:int(math.Ceil(sampled*float64(len(group))))]...)
	}
	slices.SortStableFunc(a.sample, func(i, k int) int { return cmp.Compare(expected[i], expected[k]) })
	a.strata, a.dear = len(groups), map[string]bool{}
	for name := range groups {
		a.dear[name] = true
	}
	left := j.budget.Seconds()
	a.sample = slices.DeleteFunc(a.sample, func(i int) bool {
		if !math.IsInf(expected[i], 1) { // which is not known
			left -= expected[i]
		}
		name := j.work.Cells[i].Group()
		if left < 0 && (!a.dear[name] || slices.Contains(j.shortStrata, name)) {
			return true
		}
		delete(a.dear, name)
		return false
	})
	slices.Sort(a.sample)
}

// check recomputes the sample and the short form, and notes the strata that differ. It
// reports whether the tables of the short form are the same.
func (j *job) check(ctx context.Context, a *adoption) (merged bool, err error) {
	cells, err := j.work.Recompute(ctx, j.pool, a.sample)
	if err != nil {
		return false, err
	}
	for k, i := range a.sample {
		if store.ShortDigest(cells[k].Digest()) != a.of[i].Digest {
			c := j.work.Cells[i]
			j.differs(a, c.Group(), fmt.Sprintf("cell %s: %s", c.Key, j.difference(cells[k])))
		}
	}
	if len(j.Short) == 0 {
		return false, nil // nothing shows that the tables are made in the same way
	}
	now := j.shortSums
	merged = now.Tables == a.old.Tables && len(now.Short) == len(a.old.Short)
	for k, c := range now.Short {
		i := slices.IndexFunc(a.old.Short, func(old store.CellSum) bool { return old.Key == c.Key && old.Spec == c.Spec })
		merged = merged && i >= 0
		if i >= 0 && a.old.Short[i].Digest != c.Digest {
			j.differs(a, j.shortStrata[k], "cell "+c.Key+" of the short form")
		}
	}
	for name := range a.differs {
		if !slices.ContainsFunc(a.stale, func(i int) bool { return j.work.Cells[i].Group() == name }) {
			return false, fmt.Errorf("the short form differs in stratum %q, which the experiment does not have: "+
				"run it", name)
		}
	}
	return merged, nil
}

// differs notes that the cells of a stratum are to be computed.
func (j *job) differs(a *adoption, stratum, how string) {
	if !a.differs[stratum] {
		j.say("%s: stratum %q differs: %s\n", j.Name, stratum, how)
	}
	a.differs[stratum] = true
}

// takeOver marks the stored cells of the strata that do not differ as cells of the current
// code. It returns how many cells are adopted, and how many of them are stored here.
func (j *job) takeOver(a *adoption) (adopted, here int, err error) {
	j.stamped = map[int]bool{}
	for _, i := range a.stale {
		cell := j.work.Cells[i]
		if a.differs[cell.Group()] {
			continue
		}
		adopted++
		old := a.of[i]
		c, _ := j.folder.LoadCell(cell.Key, experiment.Origin{Code: old.Code, Spec: j.origins[i].Spec}.Fingerprint())
		if c == nil || store.ShortDigest(c.Tables.Digest()) != old.Digest {
			continue
		}
		here++
		c.Fingerprint, j.stamped[i] = j.work.Prints[i], true
		if err := j.folder.SaveCell(c); err != nil {
			return adopted, here, err
		}
	}
	return adopted, here, nil
}

// restamp marks the published results as those of the current code.
func (j *job) restamp(a *adoption) error {
	run, err := store.ReadRun(j.dir)
	if err != nil {
		return err
	}
	for _, i := range a.stale {
		a.of[i].Code, a.of[i].From = j.origins[i].Code, cmp.Or(a.of[i].From, a.of[i].Code)
	}
	run.CodeVersion, run.Adopted = j.version, j.provenance(a.old)
	return j.folder.Restamp(run, a.old)
}

// provenance returns the counts of adopted cells for run.json, nil if there are none.
func (j *job) provenance(sums *store.CellSums) *store.Adopted {
	n, from := sums.Adopted()
	if n == 0 {
		return nil
	}
	a := j.adopted
	if was, err := store.ReadRun(j.dir); err == nil && was.Adopted != nil && a.Strata == 0 {
		a = *was.Adopted // of an earlier run
	}
	a.Cells, a.From, a.To = n, from, j.version
	return &a
}

// difference describes the largest change between a recomputed cell and the published one:
// absolute, relative and, if the table of means has an interval, in half-widths of the interval.
func (j *job) difference(cell table.Set) string {
	results, err := store.OpenResults(j.dir)
	if err != nil {
		return err.Error()
	}
	for _, t := range cell {
		old, err := results.Table(t.Name)
		if err != nil {
			continue // packed, and not here
		}
		for _, c := range store.DiffTables(old, t) {
			text := fmt.Sprintf("%s.%s of %s was %s and is %s, %s", t.Name, c.Column, c.Row, c.Old, c.New, c.By)
			if w := halfWidth(results, t, c.Column); w > 0 {
				text += fmt.Sprintf(", %.2g half-widths", math.Abs(c.Delta)/w)
			}
			return text
		}
	}
	return "in tables that are not here"
}

// halfWidth returns the half-width of the published interval of a column, in the row of the table of
// means that has the words of the table; 0 if there is none.
func halfWidth(results *store.Results, of *table.Table, column string) float64 {
	means, err := results.Table("summary")
	if err != nil || !means.Has(column+"_low") || of.Len() == 0 {
		return 0
	}
	for _, c := range means.Columns {
		if c.Kind == table.Words && of.Has(c.Name) {
			means = means.Where(c.Name, of.Texts(c.Name)[0])
		}
	}
	if means.Len() != 1 {
		return 0
	}
	return (means.Nums(column + "_high")[0] - means.Nums(column + "_low")[0]) / 2
}

// say prints a line. It is safe while other experiments print.
func (j *job) say(format string, args ...any) {
	j.publishing.Lock()
	defer j.publishing.Unlock()
	fmt.Fprintf(j.stdout, format, args...)
}
