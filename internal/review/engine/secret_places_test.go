package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// secretsShown lists the shown findings of secrets with their further places.
func secretsShown(res Result) string {
	var out []string
	for _, f := range res.Findings {
		if f.Origin != domain.OriginSecret || !f.Shown() {
			continue
		}
		line := fmt.Sprintf("%s:%d", f.Anchor.Path, f.Anchor.StartLine)
		for _, e := range f.AlsoAt() {
			line += fmt.Sprintf(" %s:%d", e.Path, e.Start)
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

// The places of one value stay one finding after pushes. A place that a push adds is a finding of its own, and the place that is left
// after a mend is shown.
func TestPlacesOfASecretOverPushes(t *testing.T) {
	t.Parallel()
	for _, withModel := range []bool{false, true} {
		in := sampleChange(t)
		in.ReviewedHunks, in.DigestKeys = map[string]bool{}, [][]byte{[]byte("key")}
		if withModel {
			in.Models = models(telling(""))
		}
		line := "token = \"" + "gh" + "p_" + "Zq8Wn3Lr5Tk7Vb2Xc9Jd4Hf6Gs1Mp0Ya8Ue3" + "\"\n"
		for i, push := range []struct {
			head enginetest.Tree
			want string
		}{
			{enginetest.Tree{"a.txt": "one\n" + line, "b.txt": line}, "a.txt:2 b.txt:1"},
			{enginetest.Tree{"a.txt": "one\n" + line, "b.txt": "moved\n" + line}, "a.txt:2 b.txt:2"},
			{enginetest.Tree{"a.txt": "one\n" + line, "b.txt": "moved\n" + line, "c.txt": line}, "c.txt:1; a.txt:2 b.txt:2"},
			{enginetest.Tree{"a.txt": "one\n", "b.txt": "moved\n" + line, "c.txt": line}, "b.txt:2; c.txt:1"},
			{enginetest.Tree{"b.txt": "moved\n" + line}, "b.txt:2"},
			{enginetest.Tree{"b.txt": "moved\n"}, ""},
		} {
			in.shows(enginetest.Tree{}, push.head, nil)
			res := review(t, in, Deps{})
			in.publish(res)
			if got := secretsShown(res); got != push.want {
				t.Errorf("push %d, model %t: got %q, want %q", i, withModel, got, push.want)
			}
		}
	}
}

// The summary has a doubtful value, which blocks nothing under any policy.
func TestADoubtfulSecretBlocksNothing(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	low := domain.Low
	in.Policy.Check.FailOn = &low
	in.shows(enginetest.Tree{}, enginetest.Tree{"tests/app.py": "api_key = \"Kw7Zq2mXv9RtLb4Ns8Hc\"\n"}, nil)
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 || res.Findings[0].Route != domain.RouteSummary || res.Findings[0].Severity != domain.High || len(res.Blocking) > 0 {
		t.Fatalf("%+v", res.Findings)
	}
	if got := res.Conclude(res.Findings, in.Policy); got != domain.CheckNeutral {
		t.Error(got)
	}
}
