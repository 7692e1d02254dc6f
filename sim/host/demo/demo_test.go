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

// TestSecretsAreFound makes sure that the default rules of gitleaks find the planted secrets, and
// nothing else.
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

// TestTheTicketIsTrue makes sure that the statements about its criteria are true at the head: each
// quote occurs once, and the searched texts do not occur.
func TestTheTicketIsTrue(t *testing.T) {
	ticket := PagesTicket()
	pull := PullRequests()[ticket.Pull-1]
	if !strings.HasPrefix(pull.Branch, strings.ToLower(ticket.Key)+"-") {
		t.Errorf("the branch %s does not name the ticket", pull.Branch)
	}
	head := Base()
	maps.Copy(head, pull.Files)
	missing := 0
	for _, c := range ticket.Criteria {
		if c.Met != (len(c.Quotes) > 0) || c.Met == (len(c.Searched) > 0) || c.Text == "" || c.Reason == "" {
			t.Errorf("%q: incomplete", c.Text)
		}
		if !c.Met {
			missing++
		}
		for _, q := range c.Quotes {
			if strings.Count(head[q.Path], "\n"+q.Code+"\n") != 1 {
				t.Errorf("%q: the quote does not stand in %s once", c.Text, q.Path)
			}
		}
		for _, p := range c.Searched {
			folder, pattern := strings.CutSuffix(p.Path, "**")
			switch {
			case p.Query == "" && (head[p.Path] == "" || pull.Files[p.Path] != ""):
				t.Errorf("%q: %s is missing or was changed", c.Text, p.Path)
			case p.Query != "" && !pattern:
				t.Errorf("%q: the search is in no folder", c.Text)
			case p.Query != "":
				for path, text := range head {
					if strings.HasPrefix(path, folder) && strings.Contains(text, p.Query) {
						t.Errorf("%q: %s contains the search text", c.Text, path)
					}
				}
			}
		}
	}
	if missing != 1 {
		t.Errorf("%d criteria are missing, want one", missing)
	}
}

// The prepared commit repairs the remaining planted faults of a branch. A branch without a fault has no such commit.
func TestFix(t *testing.T) {
	for repository, pulls := range map[string][]PullRequest{Repository: PullRequests(), Payouts: {Held()}} {
		for _, p := range pulls {
			files := maps.Clone(p.Files)
			read := func(path string) string { return files[path] }
			fix, found := Fix(repository, p.Branch, read)
			if found != (len(p.PlantedBugs)+len(p.PlantedSecrets) > 0) || fix.Branch != p.Branch {
				t.Errorf("%s: a commit is prepared: %t", p.Branch, found)
			}
			maps.Copy(files, fix.Files)
			for _, b := range p.PlantedBugs {
				if !strings.Contains(files[b.Path], "\n"+b.Suggestion+"\n") {
					t.Errorf("%s: %q is left", p.Branch, b.Title)
				}
			}
			for _, s := range p.PlantedSecrets {
				if strings.Contains(files[s.Path], s.LineText) || !strings.Contains(files[s.Path], s.Without) {
					t.Errorf("%s: the %s is left", p.Branch, s.Kind)
				}
			}
			if _, again := Fix(repository, p.Branch, read); again {
				t.Errorf("%s: a commit is prepared for the repaired branch", p.Branch)
			}
			if _, gone := Fix(repository, p.Branch, func(string) string { return "" }); gone {
				t.Errorf("%s: a commit is prepared for files that are gone", p.Branch)
			}
		}
	}
	if _, found := Fix("acme/other", PullRequests()[0].Branch, func(string) string { return "" }); found {
		t.Error("another repository has a prepared commit")
	}
}
