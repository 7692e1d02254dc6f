package wire

import (
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
)

// maxPushed is the most branches of a push that an event lists (a design choice; hosts send one event for each branch, or a few
// branches together).
const maxPushed = 100

// RefUpdate is a reference that a push changed. After is its new commit: "" or only zeros if the push deleted it.
type RefUpdate struct {
	Ref   string `json:"ref"`
	After string `json:"after"`
}

// FillPush fills an event of [codehost.KindPush] with the branches that a push made or moved. A push of tags, or one that only
// deletes, is [codehost.KindIgnored]. It fails with [codehost.ErrPayload] if there is no update.
func FillPush(ev *codehost.Event, updates []RefUpdate) error {
	if err := RequirePart("changed references", len(updates) > 0); err != nil {
		return err
	}
	moved := 0
	for _, u := range updates {
		branch, is := strings.CutPrefix(u.Ref, "refs/heads/")
		if !is || strings.Trim(u.After, "0") == "" {
			continue
		}
		if moved++; moved <= maxPushed {
			ev.Branches = append(ev.Branches, branch)
		}
	}
	switch {
	case moved == 0:
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
	case moved > maxPushed:
		ev.Branches = nil
	}
	return nil
}

// FillPushOfBody is [FillPush] for a body that names one reference and its new commit as GitHub's does. The event has its repository.
func FillPushOfBody(ev *codehost.Event, body []byte) error {
	var u RefUpdate
	if err := DecodePart("payload", body, &u); err != nil {
		return err
	}
	if err := RequirePart("repository", ev.Repository != nil && ev.Repository.ExternalID != ""); err != nil {
		return err
	}
	if err := RequirePart("ref", u.Ref != ""); err != nil {
		return err
	}
	return FillPush(ev, []RefUpdate{u})
}
