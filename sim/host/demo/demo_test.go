package demo

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"
)

func TestPlantedFaults(t *testing.T) {
	base := Base()
	maps.Copy(base, readFiles("payouts.txtar"))
	for _, p := range append(PullRequests(), Held()) {
		for path, text := range p.Files {
			if base[path] == text {
				t.Errorf("pull request %d does not change %s", p.Number, path)
			}
			if !strings.HasSuffix(text, "\n") || strings.Contains(text, "@@") {
				t.Errorf("pull request %d: %s has no line feed at its end or a placeholder", p.Number, path)
			}
		}
		for _, b := range p.PlantedBugs {
			line := strings.Split(p.Files[b.Path], "\n")[b.Line-1]
			if line != b.LineText || strings.Contains("\n"+base[b.Path], "\n"+b.LineText+"\n") {
				t.Errorf("%s: the line %d is not the planted one, or is not new", b.Path, b.Line)
			}
			if b.StartLine > b.Line || b.Suggestion == "" || b.Title == "" || b.Explanation == "" {
				t.Errorf("%s: incomplete description", b.Path)
			}
		}
	}
	if n := len(PullRequests()[2].PlantedBugs); n != 0 {
		t.Errorf("the clean pull request has %d bugs", n)
	}
}

// TestSecretsAreFound makes sure that the default rules of gitleaks find the planted secrets, and nothing anywhere else.
func TestSecretsAreFound(t *testing.T) {
	scan := func(files map[string]string) map[int]bool {
		t.Helper()
		lines := map[int]bool{}
		for _, path := range slices.Sorted(maps.Keys(files)) {
			d, err := detect.NewDetectorDefaultConfig()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range d.Detect(detect.Fragment{Raw: files[path], FilePath: path}) {
				t.Logf("%s: %s in line %d", path, f.RuleID, f.StartLine+1)
				lines[f.StartLine+1] = true
			}
		}
		return lines
	}
	for _, base := range []map[string]string{Base(), readFiles("payouts.txtar")} {
		if found := scan(base); len(found) != 0 {
			t.Errorf("secrets in the base: %v", found)
		}
	}
	for _, p := range append(PullRequests(), Held()) {
		want := map[int]bool{}
		for _, s := range p.PlantedSecrets {
			want[s.Line] = true
		}
		if found := scan(p.Files); !maps.Equal(found, want) {
			t.Errorf("pull request %d: secrets in lines %v, want %v", p.Number, found, want)
		}
	}
}
