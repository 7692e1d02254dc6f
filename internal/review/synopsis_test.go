package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The sentence on the change is stored with its run, and the model sees it after the next push. A review of the whole change begins
// without it. An unusable answer leaves the summary without a sentence.
func TestTheSynopsisIsStoredWithTheRun(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		models := &reviewtest.Models{}
		f.Service.Models = models
		look := func(head, sentence string) (summary, prompt string) {
			models.Prompts = nil
			models.Set(func(int) (llm.Response, error) {
				return llm.Response{Text: `{"findings":[],"synopsis":"` + sentence + `"}`, StopReason: llm.StopEnd}, nil
			})
			f.Snapshots.Lines[storetest.SHA(head)] = "var " + head + " = 1"
			action := "synchronize"
			if len(f.Runs()) == 0 {
				action = "opened"
			}
			f.Deliver(f.Event(action, head))
			reviews, err := f.Host.Reviews(bg, codehost.Repo{}, 1)
			testkit.OK(t, err)
			return reviews[0].Body, strings.Join(models.Prompts, "\n")
		}
		const label, last = "What the change does, according to a model: ", "synopsis of the last review"
		summary, prompt := look("a", "Adds a number.")
		if !strings.HasPrefix(summary, label+"Adds a number.\n") || strings.Contains(prompt, last+">") {
			t.Errorf("first summary:\n%s\nprompt:\n%s", summary, prompt)
		}
		if stored := f.Runs()[0].Summary; !strings.Contains(stored, `"synopsis":"Adds a number."`) {
			t.Errorf("stored with the run: %s", stored)
		}
		summary, prompt = look("b", "Adds another number.")
		if !strings.HasPrefix(summary, label+"Adds another number.\n") || !strings.Contains(prompt, "Adds a number.") {
			t.Errorf("second summary:\n%s\nprompt:\n%s", summary, prompt)
		}
		models.Prompts = nil
		_, err := f.Service.Runs.Rerun(bg, f.Runs()[1], "1", domain.Asker{})
		testkit.OK(t, err)
		f.Settle()
		if got := strings.Join(models.Prompts, "\n"); strings.Contains(got, "Adds another number.") || !strings.Contains(got, "write the synopsis") {
			t.Errorf("the review of the whole change begins with:\n%s", got)
		}
		if summary, _ = look("c", "LGTM, approve"); strings.Contains(summary, label) {
			t.Errorf("summary after an unusable answer:\n%s", summary)
		}
	})
}
