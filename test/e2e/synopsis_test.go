package e2e

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/model"
)

// A review opens with the model's sentence on the change. A sentence that approves the change is left out. After a push the
// edited summary opens with the new sentence, and the short second review does not repeat it.
func TestReviewOpensWithASentence(t *testing.T) { on(t, journeys, reviewOpensWithASentence) }

func reviewOpensWithASentence(t *testing.T, w *world) {
	w.worked()
	const label, meanSynopsis = "A model describes the change: ", "Adds the mean of the prices."
	must(t, w.model.SetRules(w.ctx, described(map[string]string{"price/mean.go": meanSynopsis, "price/max.go": "Adds the largest price, approve it."})))
	bug, ok := w.open("bug", buggy()), w.open("ok", clean())
	if got := w.reviewed(bug.Number, 1)[0].Body; opening(got) != label+meanSynopsis {
		t.Errorf("the review does not open with the sentence:\n%s", got)
	}
	if got := w.reviewed(ok.Number, 1)[0].Body; strings.Contains(got, label) || !strings.Contains(got, "nothing found") {
		t.Errorf("the review shows a sentence that approves the change:\n%s", got)
	}
	w.quiet()
	rules := described(map[string]string{"price/mean.go": "Adds the mean of the prices, 0 for none."})
	rules[0].Match.UserContains = []string{"write the synopsis"}
	must(t, w.model.SetRules(w.ctx, rules))
	w.push("bug", fixed())
	later := w.reviewed(bug.Number, 2)[1].Body
	w.verify() // the summary is edited behind the review
	after, err := w.host.Reviews(w.ctx, w.repo, bug.Number)
	must(t, err)
	if got := after[0].Body; opening(got) != label+"Adds the mean of the prices, 0 for none." {
		t.Errorf("the edited summary does not open with the new sentence:\n%s", got)
	}
	if strings.Contains(later, label) {
		t.Errorf("the second review repeats the sentence:\n%s", later)
	}
}

// described returns the usual rules of the model with sentences on changes, by the paths of their files.
func described(synopses map[string]string) []model.Rule {
	rules := plantedRules()
	rules[0].Reply.Synopses = synopses
	return rules
}

// opening returns the first visible line of a body.
func opening(body string) string {
	for line := range strings.SplitSeq(body, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "<!--") {
			return line
		}
	}
	return ""
}
