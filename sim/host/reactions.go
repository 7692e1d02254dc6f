package host

import (
	"slices"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Reaction is a reaction of an account to a comment. Content is the host's word, such as "+1" or "thumbsup".
type Reaction struct {
	ID      int64
	User    string
	Content string
	Created Micros
}

// Reactions are the reactions to one comment, oldest first. An account gives each reaction once.
type Reactions []*Reaction

// Change adds or removes a reaction, and returns the new list. id is the id of a new one.
func (l Reactions) Change(in simapi.ReactionSpec, id int64, now Micros) Reactions {
	same := func(r *Reaction) bool { return r.User == in.Actor && r.Content == in.Content }
	if in.Remove {
		return Without(l, same)
	}
	if slices.ContainsFunc(l, same) {
		return l
	}
	return append(slices.Clone(l), &Reaction{ID: id, User: in.Actor, Content: in.Content, Created: now})
}

// Describe returns the reactions for the control interface.
func (l Reactions) Describe() (out []simapi.Reaction) {
	for _, r := range l {
		out = append(out, simapi.Reaction{User: r.User, Content: r.Content})
	}
	return out
}
