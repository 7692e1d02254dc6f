package reviewtest

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Feedback is what a [Host] shows of people's reactions, and of files at commits.
type Feedback struct {
	Reacts bool // reactions can be read
	Given  map[domain.HostID][]codehost.Reaction
	Read   int // readings of reactions
	// Vanishes says that the pull request cannot be reached after its reactions were read.
	Vanishes bool
	// File returns a file at a commit, and false if the file does not exist. If File is nil, no file exists.
	File func(path, commit string) (string, bool)
}

// Reactions implements [codehost.ReactionReader].
func (h *Host) Reactions(_ context.Context, _ codehost.Repo, _ int, comments []domain.HostID) (
	map[domain.HostID][]codehost.Reaction, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Feedback.Read++
	out := map[domain.HostID][]codehost.Reaction{}
	for _, c := range comments {
		out[c] = h.Feedback.Given[c]
	}
	if h.Feedback.Vanishes {
		h.errors["pull"] = &codehost.Error{Class: codehost.ClassNotFound}
	}
	return out, h.failed("reactions")
}

// Content implements [codehost.Reader].
func (h *Host) Content(_ context.Context, _ codehost.Repo, path, sha string) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Feedback.File != nil {
		if text, there := h.Feedback.File(path, sha); there {
			return []byte(text), nil
		}
	}
	return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: "content"}
}
