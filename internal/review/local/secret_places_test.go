package local

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// fakeToken has the form of a token of GitHub.
const fakeToken = "gh" + "p_" + "Zq8Wn3Lr5Tk7Vb2Xc9Jd4Hf6Gs1Mp0Ya8Ue3"

// One value in several places is one finding, which names the others. The place that fails the check comes first.
func TestOneSecretIsOneFinding(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "app/main.txt", "a\n"+fakeToken+"\n")
	write(t, dir, "b.txt", "x = "+fakeToken+"\n")
	write(t, dir, "other.txt", "y = "+strings.Replace(fakeToken, "Zq8", "Zq9", 1)+"\n")
	r := localReport(t, Options{Dir: dir, Base: "HEAD"})
	var places []string
	for _, f := range r.Shown() {
		p := f.Anchor.Path
		for _, e := range f.AlsoAt() {
			p += " also " + e.Path
			if strings.Contains(e.Quote, fakeToken) {
				t.Error("the place quotes the secret")
			}
		}
		places = append(places, p)
	}
	if got := strings.Join(places, "; "); got != "app/main.txt also b.txt; other.txt" {
		t.Error(got)
	}
}

// A doubtful value is high in the summary, and the command passes whatever severity fails it.
func TestDoubtfulSecretFailsNothing(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "config_test.py", "api_key = \"Kw7Zq2mXv9RtLb4Ns8Hc\"\n")
	r := localReport(t, Options{Dir: dir, Base: "HEAD"})
	low := domain.Low
	found := r.Shown()
	if len(found) != 1 || found[0].Severity != domain.High || !found[0].Doubtful || found[0].Route != domain.RouteSummary || r.ExitCode(&low) != 0 {
		t.Errorf("%+v", found)
	}
}

// The notices name the checks that the file switches off.
func TestSwitchedOffChecksAreNamed(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, ".assay.yaml", "deterministic: {secrets: false, staticAnalysis: false}\n")
	commit(t, dir, "settings")
	write(t, dir, "b.txt", "x = "+fakeToken+"\n")
	notices := strings.Join(localReport(t, Options{Dir: dir, Base: "HEAD"}).Result.Notices, "\n")
	for _, name := range []string{"secrets", "staticAnalysis"} {
		if want := "Deterministic checks did not run: deterministic." + name + " is false in .assay.yaml."; !strings.Contains(notices, want) {
			t.Errorf("%q lacks %q", notices, want)
		}
	}
}
