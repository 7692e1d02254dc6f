package codehost

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of labels. Both are GitHub's: 422 "is too long (maximum is 50 characters)"
// for a name, and 100 labels on an issue or pull request; Gitea bounds neither.
const (
	MaxLabels    = 100
	MaxLabelName = 50 // characters
)

// MaxKnownLabels is the most labels that [Labeler.KnownLabels] returns.
const MaxKnownLabels = 1000

// LabelColor is the colour of a label that had to be made, without "#": GitHub's own
// for one that has none.
const LabelColor = "ededed"

// Labeler sets labels on pull requests: for triage. Names are
// compared without regard to case, as hosts do. A host offers it where it has
// [Capabilities.Labels]; see [LabelerOf].
type Labeler interface {
	// Labels lists the names of the labels of a pull request; text from outside.
	Labels(ctx context.Context, repo Repo, number int) ([]string, error)
	// KnownLabels lists the names of the labels that pull requests of the repository
	// can have without one being made, at most [MaxKnownLabels]; text from outside.
	KnownLabels(ctx context.Context, repo Repo) ([]string, error)
	// AddLabels sets labels beside those that are set. One that the repository does
	// not have is made. It may be repeated.
	AddLabels(ctx context.Context, repo Repo, number int, names []string) error
	// RemoveLabel takes a label away; that it is not set is no error. It may be
	// repeated. The repository keeps the label.
	RemoveLabel(ctx context.Context, repo Repo, number int, name string) error
}

// LabelerOf returns what sets labels on a host; ok is false where nothing can.
func LabelerOf(h Host) (l Labeler, ok bool) { return verbs[Labeler](h, h.Capabilities().Labels) }

// CheckLabels refuses what no host would take as names of labels, as [ClassInvalid]
// or [ClassTooLarge].
func CheckLabels(op string, names []string) error {
	switch {
	case len(names) == 0:
		return Refused(op, "at least one label must be named")
	case len(names) > MaxLabels:
		return tooLarge(op, "at most %d labels can be set", MaxLabels)
	}
	seen := map[string]bool{}
	for _, n := range names {
		key := strings.ToLower(n)
		switch {
		case n == "" || strings.TrimSpace(n) != n || !utf8.ValidString(n) || strings.ContainsFunc(n, unicode.IsControl) || strings.Trim(n, ".") == "":
			return Refused(op, "the name of a label must be text on one line, without spaces around it")
		case utf8.RuneCountInString(n) > MaxLabelName:
			return tooLarge(op, "the name of a label is longer than %d characters", MaxLabelName)
		case seen[key]:
			return Refused(op, "a label is named twice")
		}
		seen[key] = true
	}
	return nil
}
