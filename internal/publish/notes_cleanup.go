package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// CommentByComment reports whether the comments of a review become visible one by one on a host. Then a part of
// them may be visible without the rest, and a successful publication may leave drafts or twins.
func CommentByComment(host codehost.Publisher) bool {
	return codehost.NotesOf(host) != nil || codehost.MarkedOf(host) != nil
}

// cleanNotes deletes the drafts of finished publications of a pull request. A draft in which a person has
// written stays, because a person may share the account.
func (p *Publisher) cleanNotes(ctx context.Context, run store.Run, host codehost.Publisher, repo codehost.Repo) error {
	notes := codehost.NotesOf(host)
	known, err := p.Store.PublicationsOfPull(ctx, domain.Tenant{ID: run.Tenant}, run.PullRequest, maxKnown)
	if err != nil {
		return err
	}
	drafts, err := notes.NoteDrafts(ctx, repo, run.Number)
	if err != nil || len(drafts) == 0 {
		return err
	}
	drafted := map[string]map[string]bool{} // by publication
	at := Place(run)
	for _, d := range drafts {
		i := slices.IndexFunc(known, func(k store.Publication) bool {
			mark, ok := p.Marker.FindPublication(at, d.Body)
			_, _, of := p.Marker.FindFinding(at, k.ID, d.Body)
			return k.Phase.Terminal() && (of || ok && mark.ID == k.ID)
		})
		if i < 0 {
			continue
		}
		id := known[i].ID
		if drafted[id] == nil {
			if drafted[id], err = p.drafted(ctx, run, host, id); err != nil {
				return err
			}
		}
		if !drafted[id][digest(d.Body)] {
			continue
		}
		err := p.sweep(ctx, run, verbOrphan, fmt.Sprintf("%s#%d draft %v", repo.FullName(), run.Number, d.ID),
			func() error { return notes.DeleteNoteDraft(ctx, repo, run.Number, d.ID) })
		if err != nil {
			return err
		}
	}
	return nil
}

// drafted returns the digests of all texts that a publication has sent, and of those that it would send now.
func (p *Publisher) drafted(ctx context.Context, run store.Run, host codehost.Publisher, publication string) (map[string]bool, error) {
	pub, err := p.Store.PublicationByID(ctx, domain.Tenant{ID: run.Tenant}, publication)
	if err != nil {
		return nil, err
	}
	var payload Payload
	if err := json.Unmarshal([]byte(pub.Payload), &payload); err != nil {
		return nil, fmt.Errorf("publication %s: its frozen payload cannot be read: %w", pub.ID, err)
	}
	fit := payload
	if p.Fit != nil {
		if fit, err = p.Fit(ctx, domain.Tenant{ID: run.Tenant}, pub.Run, payload); err != nil {
			return nil, err
		}
	}
	out := map[string]bool{}
	for _, sent := range []Payload{payload, fit} {
		draft, err := p.marked(run, host, pub, sent, pub.PayloadSHA256)
		if err != nil {
			return nil, err
		}
		out[digest(draft.Body.String())] = true
		for _, c := range draft.Comments {
			out[digest(c.Body.String())] = true
		}
	}
	for _, d := range payload.Drafted {
		out[d] = true
	}
	return out, nil
}

// digest identifies the text of a draft, independently of line ends.
func digest(body string) string {
	sum := sha256.Sum256([]byte(normalized(body)))
	return hex.EncodeToString(sum[:])
}

// dropping returns the payload with the comments of some findings moved into the body. It keeps the digests
// of the earlier drafts, by which the janitor recognises them.
func (p Payload) dropping(frozen codehost.Draft, maxBody int, findings []string) Payload {
	next := p.Placed(func(c Comment) bool { return !slices.Contains(findings, c.FindingID) }, maxBody)
	next.Drafted = append(slices.Clone(p.Drafted), digest(frozen.Body.String()))
	for i, c := range p.Comments {
		if slices.Contains(findings, c.FindingID) {
			next.Drafted = append(next.Drafted, digest(frozen.Comments[i].Body.String()))
		}
	}
	return next
}
