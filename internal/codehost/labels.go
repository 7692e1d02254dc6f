package codehost

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of labels. Both are GitHub's: 422 "is too long (maximum is 50 characters)" for a name, and 100
// labels on an issue or pull request. Gitea bounds neither.
const (
	MaxLabels    = 100
	MaxLabelName = 50 // characters
)

// MaxKnownLabels is the most labels that [Labeler.KnownLabels] returns.
const MaxKnownLabels = 1000

// LabelColor is the colour of labels that we create, without "#". It is GitHub's default.
const LabelColor = "ededed"

// Labeler sets labels on pull requests, for triage. Names are compared without regard to case, as hosts do.
// A host offers it if it has [Capabilities.Labels]; see [LabelerOf].
type Labeler interface {
	// Labels lists the names of a pull request's labels; text from outside.
	Labels(ctx context.Context, repo Repo, number int) ([]string, error)
	// KnownLabels lists the existing labels for pull requests of the repository, at most [MaxKnownLabels];
	// text from outside.
	KnownLabels(ctx context.Context, repo Repo) ([]string, error)
	// AddLabels adds labels and keeps the present ones. It creates labels that the repository does not
	// have. Callers may repeat it.
	AddLabels(ctx context.Context, repo Repo, number int, names []string) error
	// RemoveLabel removes a label from the pull request; the repository keeps the label. An absent label is
	// not an error. Callers may repeat it.
	RemoveLabel(ctx context.Context, repo Repo, number int, name string) error
}

// LabelerOf returns the Labeler of a host. ok is false if the host does not offer it.
func LabelerOf(h Host) (l Labeler, ok bool) {
	return optionalInterface[Labeler](h, h.Capabilities().Labels)
}

// CheckLabels returns [ClassInvalid] or [ClassTooLarge] for names of labels that every host would refuse.
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
		case n == "" || strings.TrimSpace(n) != n || !utf8.ValidString(n) || strings.ContainsFunc(n, unicode.IsControl) ||
			strings.Trim(n, ".") == "":
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
