package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// cleanMarked deletes comments that finished publications of the pull request have twice, and comments that
// became visible although their publication does without them. It touches only comments of our account that
// have a mark and exactly a text that their publication has sent: a text that a person has edited, or that we
// have edited since, is no twin.
func (c conversation) cleanMarked(ctx context.Context, host codehost.MarkedNotes) error {
	list, err := host.Notes(ctx, c.repo, c.run.Number)
	if codehost.ClassOf(err) == codehost.ClassTooLarge {
		c.Logger.WarnContext(ctx, "there are too many comments to find those that are there twice", "run", c.run.ID, "error", err)
		return nil
	}
	if err != nil || len(list) == 0 {
		return err
	}
	known, err := c.known(ctx)
	if err != nil {
		return err
	}
	for _, k := range known {
		if !k.Phase.Terminal() {
			continue
		}
		shown := map[string][]codehost.Comment{} // by finding, "" for the summary, oldest first
		for _, comment := range list {
			if finding, ok := c.noteOf(k.ID, comment); ok {
				shown[finding] = append(shown[finding], comment)
			}
		}
		if len(shown) == 0 {
			continue
		}
		if err := c.cleanRows(ctx, host, k, shown); err != nil {
			return err
		}
	}
	return nil
}

// noteOf returns the finding of a comment of ours with the mark of a publication, "" for the summary.
func (c conversation) noteOf(publication string, comment codehost.Comment) (finding string, ok bool) {
	if !comment.Mine {
		return "", false
	}
	if finding, _, ok = c.Marker.FindFinding(Place(c.run), publication, comment.Body); ok {
		return finding, finding != ""
	}
	mark, ok := c.Marker.FindPublication(Place(c.run), comment.Body)
	return "", ok && mark.ID == publication
}

// cleanRows deletes the twins of each comment of a publication.
func (c conversation) cleanRows(ctx context.Context, host codehost.MarkedNotes, k store.Publication,
	shown map[string][]codehost.Comment) error {
	rows, err := c.Store.NotesOf(ctx, c.tenant(), k.ID)
	if err != nil {
		return err
	}
	var texts map[string]bool
	for _, row := range rows {
		found := shown[row.Finding]
		if len(found) == 0 || len(found) == 1 && row.Phase == domain.NoteVisible && found[0].ID == row.Draft {
			continue
		}
		if texts == nil {
			if texts, err = c.drafted(ctx, c.run, c.host, k.ID); err != nil {
				return err
			}
		}
		sent := slices.DeleteFunc(slices.Clone(found), func(o codehost.Comment) bool { return o.ID != row.Draft && !texts[digest(o.Body)] })
		if err := c.cleanTwinNotes(ctx, host, k, row, sent, texts); err != nil {
			return err
		}
	}
	return nil
}

// cleanTwinNotes deletes the copies of one comment, except for the copy that stays and for answered copies.
func (c conversation) cleanTwinNotes(ctx context.Context, host codehost.MarkedNotes, k store.Publication, row store.PublicationNote,
	copies []codehost.Comment, texts map[string]bool) error {
	if row.Finding == "" && k.Phase != domain.PhasePublished {
		row.Phase = domain.NoteDropped // there is no review
	}
	stays, certain, err := c.stays(ctx, host, row, copies, texts)
	if err != nil || !certain {
		return err
	}
	if stays.ID != "" && stays.ID != row.Draft {
		if replaced, err := c.replaceNote(ctx, k, row, stays); err != nil || !replaced {
			return err
		}
	}
	for _, o := range copies {
		if o.ID == stays.ID {
			continue
		}
		if o.Answered {
			c.Logger.WarnContext(ctx, "a comment is there twice, and a person has answered both; they are left alone", "publication", k.ID,
				"comment", o.ID)
			continue
		}
		target := fmt.Sprintf("%s#%d comment %v", c.repo.FullName(), c.run.Number, o.ID)
		err := c.sweep(ctx, c.run, verbTwin, target, func() error { return host.DeleteNote(ctx, c.repo, c.run.Number, o.ID) })
		if codehost.ClassOf(err) == codehost.ClassInvalid || codehost.IsAccessLost(err) { // the outcome of the run is shown in spite of it
			c.Logger.WarnContext(ctx, "a comment is there twice and cannot be deleted", "publication", k.ID, "comment", o.ID, "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stays returns the copy that remains; the zero value if the publication does without the comment. The recorded
// comment stays if its text has changed, or if it was answered, because later reviews and people refer to it.
// Otherwise the oldest copy that was answered stays, or the oldest: people have seen it first. certain is false
// if the list lacks the recorded comment and the host shows it by its id. Then nothing is deleted: such a
// deletion may be applied after a later look has decided that this copy stays.
func (c conversation) stays(ctx context.Context, host codehost.MarkedNotes, row store.PublicationNote, copies []codehost.Comment,
	texts map[string]bool) (stays codehost.Comment, certain bool, err error) {
	if row.Phase != domain.NoteVisible || len(copies) == 0 {
		return codehost.Comment{}, true, nil
	}
	if at := slices.IndexFunc(copies, func(o codehost.Comment) bool { return o.ID == row.Draft }); at < 0 {
		_, err := host.Note(ctx, c.repo, c.run.Number, row.Draft)
		if codehost.ClassOf(err) != codehost.ClassNotFound {
			return codehost.Comment{}, false, err
		}
	} else if recorded := copies[at]; recorded.Answered || !texts[digest(recorded.Body)] {
		return recorded, true, nil
	}
	answered := slices.IndexFunc(copies, func(o codehost.Comment) bool { return o.Answered })
	return copies[max(answered, 0)], true, nil
}

// replaceNote replaces the recorded comment by its twin: the row, and the review or the finding, then name the
// twin. It returns false if another worker has replaced it.
func (c conversation) replaceNote(ctx context.Context, k store.Publication, row store.PublicationNote,
	to codehost.Comment) (replaced bool, err error) {
	err = c.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if replaced, err = c.Store.ReplaceNote(ctx, c.tenant(), row, to.ID); err != nil || !replaced {
			return err
		}
		if row.Finding != "" {
			_, err = c.Store.SetComment(ctx, c.tenant(), row.Finding, row.Draft, to.ID, to.URL)
			return err
		}
		return c.Store.ReplaceReview(ctx, c.tenant(), k.ID, row.Draft, to.ID, to.URL)
	})
	return replaced && err == nil, err
}
