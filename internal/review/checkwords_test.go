package review

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

var (
	codeSpan  = regexp.MustCompile("`[^`]*`")
	latinWord = regexp.MustCompile(`[A-Za-z]{3,}`)
)

func inJapanese(t *testing.T, text string) {
	t.Helper()
	if found := latinWord.FindAllString(codeSpan.ReplaceAllString(text, ""), -1); len(found) > 0 || text == "" {
		t.Errorf("%q in %q", found, text)
	}
}

// A check run has no English word in Japanese, however the run ended. Messages of programs are shown
// unchanged as code.
func TestCheckRunInJapanese(t *testing.T) {
	t.Parallel()
	r := &reflection{Service: &Service{Config{Scan: func(s string) string { return s }}}, words: wording.In("ja")}
	for state := range underWay {
		r.run = store.Run{State: state}
		inJapanese(t, r.words.Say(underWay[state].title).String())
		inJapanese(t, r.words.Say(underWay[state].summary).String())
	}
	for _, said := range []markdown.Text{r.words.Say(wording.SayApprovalHow, markdown.Span("/assay approve 0"), markdown.Span("/assay reject 0")), r.words.Say(wording.TitleRejected), r.words.Say(wording.TitleExpired),
		r.words.Say(wording.HeadNotPublished, r.words.Say(wording.RejectedBy, markdown.Span("mona")))} {
		inJapanese(t, said.String())
	}
	for _, title := range unreviewedTitles {
		inJapanese(t, r.words.Say(title).String())
	}
	for _, tc := range []struct {
		end    domain.EndCause
		reason string
	}{
		{domain.EndPolicy, "the pull request is a draft"},
		{domain.EndSuperseded, "a newer head arrived"},
		{domain.EndClosed, "the pull request was merged"},
		{domain.EndGone, ""},
		{domain.EndDisconnected, errDisconnected.Error()},
		{domain.EndCrashed, "crashed: signal: killed"},
		{domain.EndError, "the host answers 500 <img src=x> @octocat"},
		{domain.EndModelUnavailable, modelDown + ": overloaded (HTTP 529)"},
		{domain.EndModelUnavailable, modelDown + ": " + wording.English(wording.NoAnswerWithin, "10m0s", "overloaded (HTTP 529)")},
		{domain.EndModelFruitless, wording.English(wording.NoUsableAnswer, 3) + foundNothing},
		{domain.EndModelRejected, wording.English(wording.EffortRejected, "unsupported value: high")},
		{domain.EndSlotBusy, ""},
		{domain.EndDeleted, ""},
		{domain.EndRefused, ""},
		{domain.EndRejected, ""},
		{domain.EndExpired, ""},
	} {
		t.Run(string(tc.end), func(t *testing.T) {
			t.Parallel()
			r := *r
			r.run = store.Run{End: tc.end, Reason: tc.reason}
			why := r.why().String()
			inJapanese(t, why)
			if outside := strings.Contains(tc.reason, "HTTP") || strings.Contains(tc.reason, "octocat"); outside && !strings.Contains(why, "`") {
				t.Errorf("the message is not shown: %q", why)
			}
		})
	}
}
