package codehost

import "context"

// Bounds of commit messages (design choices): further commits are not listed, and longer messages are cut.
const (
	MaxMessages = 100
	MaxMessage  = 4 << 10 // bytes
)

// Messenger reads the messages of a pull request's commits. Not every host offers it; see [MessengerOf].
type Messenger interface {
	// Messages lists the messages of the commits of a pull request in the host's order, at most
	// [MaxMessages] with at most [MaxMessage] bytes each; text from outside.
	Messages(ctx context.Context, repo Repo, number int) ([]string, error)
}

// MessengerOf returns the Messenger of a host. ok is false if the host does not offer it.
func MessengerOf(h Reader) (m Messenger, ok bool) {
	m, ok = h.(Messenger)
	return m, ok
}
