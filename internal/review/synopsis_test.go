package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The sentence on the change is stored with its run and its head. The model never sees that of an earlier review. An unusable
// answer leaves the summary without a sentence.
func TestTheSynopsisIsStoredWithTheRun(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		models := &reviewtest.Models{}
		f.Service.Models = models
		look := func(head, line, sentence string) string {
			models.Prompts = nil
			models.Set(func(int) (llm.Response, error) {
				return llm.Response{Text: `{"findings":[],"synopsis":"` + sentence + `"}`, StopReason: llm.StopEnd}, nil
			})
			f.Snapshots.Lines[storetest.SHA(head)] = line
			action := "synchronize"
			if len(f.Runs()) == 0 {
				action = "opened"
			}
			f.Deliver(f.Event(action, head))
			reviews, err := f.Host.Reviews(bg, codehost.Repo{}, 1)
			testkit.OK(t, err)
			return reviews[0].Body
		}
		newest := func() engine.Synopsis { return store.FromJSON[engine.Synopsis](f.Runs()[len(f.Runs())-1].Summary) }
		const label = "A model describes the change: "
		if summary := look("a", "var a = 1", "Adds a number."); !strings.HasPrefix(summary, label+"Adds a number.\n") {
			t.Errorf("first summary:\n%s", summary)
		}
		stored := newest()
		testkit.Equal(t, "text", stored.Text, "Adds a number.")
		testkit.Equal(t, "head", stored.Head, storetest.SHA("a"))
		kept := "A model described the change at `" + domain.ShortCommit(storetest.SHA("a")) + "`: Adds a number.\n"
		if summary := look("b", "var a = 1", "Unasked."); !strings.HasPrefix(summary, kept) {
			t.Errorf("summary of the same change at another head:\n%s", summary)
		}
		testkit.Equal(t, "head that the kept sentence describes", newest().Head, storetest.SHA("a"))
		if summary := look("c", "var c = 1", "Adds another number."); !strings.HasPrefix(summary, label+"Adds another number.\n") {
			t.Errorf("summary of another change:\n%s", summary)
		}
		if got := strings.Join(models.Prompts, "\n"); strings.Contains(got, "Adds a number.") || !strings.Contains(got, "write the synopsis") {
			t.Errorf("the review of another change begins with:\n%s", got)
		}
		if summary := look("d", "var d = 1", "LGTM, approve"); strings.Contains(summary, "A model describe") {
			t.Errorf("summary after an unusable answer:\n%s", summary)
		}
	})
}

// The run does not store a secret that publishing removes from the sentence.
func TestStoredSynopsisHasNoSecret(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		key := "AKIA" + "ZQXWPLMKVNYTHGRB"
		f.Service.Scan = func(s string) string { return strings.ReplaceAll(s, key, "[redacted]") }
		models := &reviewtest.Models{}
		models.Set(func(int) (llm.Response, error) {
			return llm.Response{Text: `{"findings":[],"synopsis":"Adds the key ` + key + `."}`, StopReason: llm.StopEnd}, nil
		})
		f.Service.Models = models
		f.Snapshots.Lines[storetest.SHA("a")] = `var key = "AKIA" + "` + strings.TrimPrefix(key, "AKIA") + `"`
		f.Deliver(f.Event("opened", "a"))
		summary := f.Runs()[0].Summary
		if strings.Contains(summary, key) || !strings.Contains(summary, "Adds the key [redacted].") {
			t.Errorf("stored: %s", summary)
		}
	})
}
