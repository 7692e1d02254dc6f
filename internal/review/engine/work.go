package engine

import (
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/lookup"
	"github.com/assay-dev/assay/internal/review/reconcile"
	"github.com/assay-dev/assay/internal/review/sast"
)

// work is one review under way. Each stage reads what the stages before it left here.
type work struct {
	*ask.Session // access to models
	deps         Deps
	in           Input

	prepared   // left by prepare
	checks     check.Result
	analysed   sast.Outcome // left by prepare
	asker      *reconcile.Asker
	reconciler *reconcile.Reconciler
	lines      *codeLines // of the file that was read last for further places; nil before
	matched    []Rule     // that a pattern checks
	rules      []Rule     // that concern the change; generate adds those of guideline files
	tools      toolboxOnce
	finder     *lookup.Toolbox // for models that look for findings; nil if they look nothing up

	plan    plan             // left by triage
	gen     generated        // left by generate
	panel   panelOutcome     // left by generate
	author  PullRequest      // left by generate: the author's words as prompts have them
	said    string           // left by generate: the author's own words, which verdicts may quote
	related around.Relations // left by generate
	ver     verified         // left by verify

	previous map[string]string // files at the head of the last review, by path; see previousLines

	result Result
}

// newWork returns a review that has not read its change, with the conversations of the deepest one until triage has chosen
// a depth.
func newWork(d Deps, in Input) *work {
	var outside ask.Outside
	if in.Models != nil {
		outside = in.Models.Outside
	}
	a := ask.New(ask.Deps{Recorder: d.Recorder, Stages: d.Stages, Progress: d.Progress, Logger: d.Logger, Now: d.Now, Random: d.Random,
		PromptHash: PromptHash()}, outside)
	a.AllowConversations(conversationBoundOf(tierT4).all)
	return &work{Session: a, deps: d, in: in}
}

// drop counts candidates that go no further.
func (w *work) drop(why string, n int) {
	if n > 0 {
		w.result.Stats.Dropped[why] += n
	}
}

// note adds a sentence to the summary; "" adds nothing.
func (w *work) note(sentence string) {
	if sentence != "" {
		w.result.Notices = append(w.result.Notices, sentence)
	}
}
