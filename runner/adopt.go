package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
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
)

func (p *program) adoptCommand(f *flag.FlagSet) action {
	p.workFlags(f)
	f.DurationVar(&p.budget, "budget", time.Minute, "most processor `time` for the sample of each experiment")
	return func(ctx context.Context, names []string) error {
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
	short   int              // of these, strata for which the short form alone speaks
	differs map[string]bool  // strata of which the code makes other content
}

// adopt marks published cells that other code computed from the same specs as cells of the current code.
// It recomputes a sample of every stratum and the short form of the experiment; strata
// whose content differs are left to be computed. It reports whether the results are
// complete: no cell needs to be computed or merged.
func (j *job) adopt(ctx context.Context) (done bool, err error) {
	a, err := j.adoption()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		j.say("%s: nothing to adopt: nothing is published in %s\n", j.Name, j.dir)
		return false, nil
	case err != nil:
		return false, err
	case len(a.stale) == 0 && a.changed:
		return false, nil
	case len(a.stale) == 0:
		j.say("%s: nothing to adopt: this code made %s\n", j.Name, j.dir)
		return true, nil
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
	checked := fmt.Sprintf("recomputed %d cells, of %d of %d strata, in %s", len(a.sample), a.strata-a.short, a.strata, j.took())
	if other := len(a.differs) > 0 || a.changed || !merged; here < adopted && other {
		j.say("%s: %s; %s does not have the other cells, of which tables are made: computing them\n",
			j.Name, checked, j.dir)
		return false, nil
	}
	j.say("%s: %s; adopted %d of %d cells\n", j.Name, checked, adopted, len(a.of))
	j.adopted = &store.Adopted{
		From: a.of[a.stale[0]].Code, To: j.version, Cells: adopted, Recomputed: len(a.sample), Strata: a.strata - a.short, Short: a.short,
	}
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
	byKey := map[string]*store.CellSum{}
	for i, c := range a.old.Cells {
		byKey[c.Key] = &a.old.Cells[i]
	}
	a.changed = len(byKey) != len(a.of) || !bytes.Equal(manifest, j.work.Manifest)
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

// draw draws the sample, at random: a cell of each stratum, then a second one of each, and so on until the
// budget is spent. A stratum for which the short form does not speak has a cell in it whatever that takes.
func (j *job) draw(a *adoption) {
	rnd := rand.New(random.Source("adopt", j.Name, j.version))
	seconds, expected := j.work.Expected(a.stale), map[int]float64{}
	order, rank, strata := []int{}, map[int]int{}, map[string]int{} // the rank of a cell in its stratum, and the sizes of these
	for _, k := range rnd.Perm(len(a.stale)) {
		i := a.stale[k]
		name := j.work.Cells[i].Group()
		order, expected[i], rank[i] = append(order, i), seconds[k], strata[name]
		strata[name]++
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(expected[a], expected[b]))
	})
	left, has := j.budget.Seconds(), map[string]bool{}
	for _, i := range order {
		name := j.work.Cells[i].Group()
		unknown := math.IsInf(expected[i], 1) // nobody has measured it
		if (unknown || expected[i] > left) && (has[name] || slices.Contains(j.shortStrata, name)) {
			continue
		}
		if !unknown {
			left -= expected[i]
		}
		a.sample, has[name] = append(a.sample, i), true
	}
	a.strata, a.short = len(strata), len(strata)-len(has)
	slices.Sort(a.sample)
}

// check recomputes the sample and the short form, and notes the strata that differ. It
// reports whether the tables of the short form are the same.
func (j *job) check(ctx context.Context, a *adoption) (merged bool, err error) {
	cells, err := j.work.Recompute(ctx, j.here.Pool, a.sample)
	if err != nil {
		return false, err
	}
	j.describe(cells...)
	for k, i := range a.sample {
		if store.ShortDigest(cells[k].Digest()) != a.of[i].Digest {
			c := j.work.Cells[i]
			j.differs(a, c.Group(), "cell "+c.Key)
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
// code, and gives their columns its descriptions. It returns how many cells are adopted, and how many of them are stored here.
func (j *job) takeOver(a *adoption) (adopted, here int, err error) {
	for _, i := range a.stale {
		cell := j.work.Cells[i]
		if a.differs[cell.Group()] {
			continue
		}
		adopted++
		old := a.of[i]
		c, _ := j.work.Folder.LoadCell(cell.Key, experiment.Origin{Code: old.Code, Spec: j.origins[i].Spec}.Fingerprint())
		if c == nil || store.ShortDigest(c.Tables.Digest()) != old.Digest {
			continue
		}
		here++
		for _, t := range c.Tables { // digests are of the numbers alone
			for k := range t.Columns {
				t.Columns[k].Doc = cmp.Or(j.docs[[2]string{t.Name, t.Columns[k].Name}], t.Columns[k].Doc)
			}
		}
		c.Fingerprint = j.work.Prints[i]
		if err := j.work.Folder.SaveCell(c); err != nil {
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
		a.of[i].Code = j.origins[i].Code
	}
	j.provenance(run)
	run.CodeVersion = j.version
	return j.work.Folder.Restamp(run, a.old)
}

// provenance sets what run.json says of adopted cells: those that this run has adopted or, of those of
// earlier runs, at most as many as were not computed now.
func (j *job) provenance(run *store.Run) {
	run.Adopted = j.adopted
	was, err := store.ReadRun(j.dir)
	reused := len(j.work.Cells) - j.work.Computed
	if err != nil || was.Adopted == nil || reused == 0 {
		return
	}
	if run.Adopted == nil {
		run.Adopted = was.Adopted
	}
	run.Adopted.From, run.Adopted.To = was.Adopted.From, j.version
	run.Adopted.Cells = min(max(run.Adopted.Cells, was.Adopted.Cells), reused)
}

// say prints a line. It is safe while other experiments print.
func (j *job) say(format string, args ...any) {
	j.publishing.Lock()
	defer j.publishing.Unlock()
	fmt.Fprintf(j.stdout, format, args...)
}
