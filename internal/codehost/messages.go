package codehost

import "context"

// Bounds of messages of commits (design choices): more commits are not listed, and what
// a message has more is cut.
const (
	MaxMessages = 100
	MaxMessage  = 4 << 10 // bytes
)

// Messenger tells what the commits of a pull request say. Not every host offers it; see
// [MessengerOf].
type Messenger interface {
	// Messages lists the messages of the commits of a pull request in the host's order,
	// at most [MaxMessages] of at most [MaxMessage] bytes; text from outside.
	Messages(ctx context.Context, repo Repo, number int) ([]string, error)
}

// MessengerOf returns what tells the messages of commits; ok is false where a host does
// not.
func MessengerOf(h Reader) (m Messenger, ok bool) {
	m, ok = h.(Messenger)
	return m, ok
}
