package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// Code that the change has removed from another file is shown as removed, and proves nothing about
// existing code.
func TestRemovedCodeOfAnotherFile(t *testing.T) {
	t.Parallel()
	const check = "if len(all) == 0 { return errNothing }"
	removed := domain.Evidence{Kind: "code", Path: "gone.go", Start: 3, End: 3, Quote: check}
	c := claimOn(t, divides, domain.Right, removed)
	if !strings.Contains(c.Text, "gone.go:1-4 (before the change, no longer there)") {
		t.Errorf("the claim does not say that it is gone: %s", c.Text)
	}
	if c.refutes(check) || c.confirms(check) {
		t.Error("removed code proves something")
	}
	if !c.confirms("return sum(items) / len(items)") {
		t.Error("the claimed line proves nothing")
	}
	if c := claimOn(t, 5, domain.Left, removed); !c.confirms(check) {
		t.Error("removed code does not confirm a claim about removed lines")
	}
}
