package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of a reading of reactions (design choices).
const (
	// MaxReacted is the most comments whose reactions one call reads.
	MaxReacted = 50
	// MaxReactions is the most thumbs on one comment that are read. Further ones are left out.
	MaxReactions = 200
	// ReactionPages is the most pages of a pull request's comments that are read to find comments with reactions, where the
	// host's list counts them, and of the reactions to one comment where the host lists all kinds together.
	ReactionPages = 10
)

// Reaction is a thumbs-up or thumbs-down of an account on one of our comments. Person is text from outside.
type Reaction struct {
	Up     bool // thumbs-up; otherwise thumbs-down
	Person Sender
}

// ReactionReader reads reactions to comments. A host offers it if it has [Capabilities.Reactions] and its adapter
// implements it; see [ReactionReaderOf].
type ReactionReader interface {
	// Reactions reads the thumbs-up and thumbs-down on inline comments of a pull request, at most [MaxReacted]. Other
	// reactions and those of our own account are left out. The result has an entry, perhaps an empty one, for each of the
	// comments that the host has and whose reactions were read.
	Reactions(ctx context.Context, repo Repo, number int, comments []domain.HostID) (map[domain.HostID][]Reaction, error)
}

// ReactionReaderOf returns the ReactionReader of a host. ok is false if the host does not offer it.
func ReactionReaderOf(h Host) (r ReactionReader, ok bool) {
	return optionalInterface[ReactionReader](h, h.Capabilities().Reactions)
}
