package config

import "testing"

// The options of sbatch are checked, and are no part of the experiment.
func TestSlurm(t *testing.T) {
	m, v, err := decode(text + "[slurm]\ntime = \"2:00:00\"\npartition = \"long\"\nmem-per-cpu = 4\nexclusive = true\noverlap = false\n")
	if want := "--exclusive --mem-per-cpu=4 --partition=long --time=2:00:00"; err != nil || m.Slurm != want {
		t.Fatalf("options %q, %v, want %q", m.Slurm, err, want)
	}
	without, v2, _ := decode(text)
	a, err1 := m.Resolved(&v)
	b, err2 := without.Resolved(&v2)
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("it is part of the manifest: %s", a)
	}
	for lines, want := range map[string]string{
		"[slurm]\ntime = 1.5":             "x/toy.toml:21: slurm.time: 1.5; allowed: a text, an integer, true or false",
		"[slurm]\npartition = \"a b\"":    `x/toy.toml:21: slurm.partition: "a b" is not allowed; allowed: a text without spaces and quotes`,
		"[slurm]\n\"--mem\" = 4":          "x/toy.toml:21: slurm.--mem: not an option of sbatch; allowed: a long one without its dashes, such as partition",
		"[slurm]\ntime = \"1\\n#SBATCH\"": `x/toy.toml:21: slurm.time: "1\n#SBATCH" is not allowed; allowed: a text without spaces and quotes`,
	} {
		if _, _, err := decode(text + lines); err == nil || err.Error() != want {
			t.Errorf("%s: error\n%v, want\n%s", lines, err, want)
		}
	}
}
