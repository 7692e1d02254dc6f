package engine

import "github.com/assay-dev/assay/internal/review/ask"

// session is one review's access to models together with the review's input.
type session struct {
	*ask.Session
	deps Deps
	in   Input
}

// newSession returns a session with the conversations of the deepest review, until triage has chosen a depth.
func newSession(d Deps, in Input) *session {
	var outside ask.Outside
	if in.Models != nil {
		outside = in.Models.Outside
	}
	a := ask.New(ask.Deps{Recorder: d.Recorder, Stages: d.Stages, Progress: d.Progress, Logger: d.Logger, Now: d.Now, Random: d.Random,
		PromptHash: PromptHash()}, outside)
	a.AllowConversations(boundOf(tierT4).all)
	return &session{Session: a, deps: d, in: in}
}
