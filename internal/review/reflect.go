package review

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// Reflect shows the end of a run on the host: check run, summary, and comments of resolved findings. All of
// it may be repeated.
func (s *Service) Reflect(ctx context.Context, c *jobs.Claim) error {
	r, err := s.reflection(ctx, c, s.atEnd)
	if r == nil {
		return err
	}
	return r.done(ctx, r.showAndRepair(ctx, r.do))
}

// reflection is the work of one job that shows a run on the host.
type reflection struct {
	*Service
	claim  *jobs.Claim
	run    store.Run
	host   codehost.Host
	repo   codehost.Repo
	policy domain.Policy // the repository's present policy
	words  wording.Words // in its language
	lost   lostWrite
}

// marks writes marks in the form of the host, with the key of the run's publication.
func (r *reflection) marks(pub store.Publication) (marker.Marker, error) {
	m, err := r.Marker.WithKey(pub.MarkKey)
	return m.InForm(r.host.Capabilities().Marks), err
}

func (r *reflection) do(ctx context.Context) error {
	if err := r.recheckAgain(ctx); err != nil {
		return err
	}
	pub, p, err := r.publication(ctx)
	if err != nil {
		return err
	}
	if p, err = r.withCurrentIssues(ctx, p); err != nil {
		return err
	}
	silent := pub.Kind == publish.KindNone
	if err := r.learnPartial(ctx, pub); err != nil {
		return err
	}
	if !silent && (pub.Phase == domain.PhaseAbandoned || pub.Gen > 1 || publish.CommentByComment(r.host)) { // drafts may be left
		if err := r.Publisher.Clean(ctx, r.run, r.host, r.repo); err != nil {
			return err
		}
	}
	var refusal error
	if !silent && pub.Phase == domain.PhasePublished {
		if refusal = r.texts(ctx, pub, p); refusal != nil && !isRefused(refusal) {
			return refusal
		}
	}
	untold := r.conclude(ctx, pub, p, true) // after the texts, because it may have to wait for a lost answer
	if untold != nil && !codehost.IsAccessLost(untold) {
		return untold
	}
	refusal = cmp.Or(untold, refusal)
	if silent || pub.Phase != domain.PhasePublished {
		return refusal
	}
	if err := r.notifyIssues(ctx); err != nil {
		return err
	}
	if err := r.announceRaises(ctx, pub, p); err != nil { // last, because no check run waits for a reply
		return err
	}
	if err := r.feedback(ctx, p); err != nil {
		return err
	}
	return refusal // returned last, so that a refusal does not stop the other updates
}

// publication reads the run's publication and its published payload. Both are zero if the run has no
// publication.
func (r *reflection) publication(ctx context.Context) (pub store.Publication, p publish.Payload, err error) {
	pub, err = r.Store.PublicationOf(ctx, r.run.Owner(), r.run.ID)
	if errs.Is(err, errs.NotFound) {
		return store.Publication{}, p, nil
	}
	if err == nil && pub.Phase == domain.PhasePublished {
		if err := json.Unmarshal([]byte(pub.Payload), &p); err != nil {
			return pub, p, &jobs.Fatal{Err: err}
		}
	}
	return pub, p, err
}

// texts updates the comments and summaries on the host after a published review.
func (r *reflection) texts(ctx context.Context, pub store.Publication, p publish.Payload) error {
	if err := r.comments(ctx, pub, p); err != nil {
		return err
	}
	refusal := r.summary(ctx, pub, p)
	if refusal != nil && !isRefused(refusal) {
		return refusal
	}
	return cmp.Or(r.findings(ctx, pub, p), refusal)
}

// reflectSubject names the subject of these writes in the intent log.
const reflectSubject = "reflect"

// write sends one repeatable write with its intent recorded first.
func (r *reflection) write(ctx context.Context, verb, target string, send func(ctx context.Context) error) error {
	return r.claim.Write(ctx, r.run.Owner(), r.intent(verb, target), send)
}

// intent returns the record for a write, and begins the write's stage.
func (r *reflection) intent(verb, target string) store.WriteAttempt {
	r.claim.Stage("reflect: "+verb, 2*time.Minute)
	return store.WriteAttempt{SubjectKind: reflectSubject, SubjectID: r.run.ID, Verb: verb, Target: target}
}

// comments learns the host's ids of the inline comments, by their marks.
func (r *reflection) comments(ctx context.Context, pub store.Publication, p publish.Payload) error {
	if pub.ReviewID == "" {
		return nil
	}
	return r.learnComments(ctx, pub, p)
}

// learnComments is [reflection.comments] for a publication whose comments may be visible.
func (r *reflection) learnComments(ctx context.Context, pub store.Publication, p publish.Payload) error {
	list, err := r.host.ReviewComments(ctx, r.repo, r.run.Number, pub.ReviewID)
	if codehost.ClassOf(err) == codehost.ClassTooLarge {
		r.Logger.WarnContext(ctx, "there are too many comments to find those of a review", "run", r.run.ID, "error", err)
		return nil
	}
	if codehost.ClassOf(err) == codehost.ClassNotFound { // a person deleted it
		return nil
	}
	if err != nil {
		return err
	}
	shown, byPrint, before := map[string]bool{}, map[string]string{}, map[string]domain.HostID{}
	for _, c := range p.Comments {
		shown[c.FindingID], byPrint[c.Fingerprint] = true, c.FindingID
	}
	for _, e := range p.Returned {
		before[e.FindingID] = domain.HostID(e.Comment)
	}
	for _, c := range list {
		id, print, ok := r.Marker.FindFinding(publish.Place(r.run), pub.ID, c.Body)
		if id == "" { // a version that named findings by their fingerprints
			id = byPrint[print]
		}
		if ok && c.Mine && shown[id] {
			if _, err := r.Store.SetComment(ctx, r.run.Owner(), id, before[id], c.ID, c.URL); err != nil {
				return err
			}
		}
	}
	return nil
}

// summary edits the body of the pull request's first review. If the summary covers issues, it also edits
// the run's own review with the present knowledge about them. It skips texts that the host already shows.
func (r *reflection) summary(ctx context.Context, pub store.Publication, p publish.Payload) error {
	pull, err := r.Store.PullRequest(ctx, r.run.Owner(), r.run.PullRequest)
	if err != nil || pull.SummaryReview == "" || pull.ReviewedHead != r.run.HeadSHA {
		return err
	}
	own := pull.SummaryReview == pub.ReviewID
	if own && p.Issues == nil || !own && p.SummaryBody.Empty() {
		return nil
	}
	if last, err := r.Store.LatestReview(ctx, r.run.Owner(), r.run.PullRequest); err != nil || last.ID != r.run.ID {
		return err // the summary belongs to a later review of the same head
	}
	review, err := r.host.Review(ctx, r.repo, r.run.Number, pull.SummaryReview)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil // a person deleted it; it is not written again
	}
	if err != nil {
		return err
	}
	body := p.SummaryBody
	if own {
		body = p.Body
	}
	if own, ok := r.Marker.FindPublication(publish.Place(r.run), review.Body); ok { // the review keeps its own publication
		marks, err := r.marks(pub)
		if err != nil {
			return err
		}
		mark, err := marks.Publication(publish.Place(r.run), own.ID, own.SHA)
		if err != nil {
			return err
		}
		body = markdown.Blocks(body, mark)
	}
	if p.Issues != nil && publish.Same(review.Body, body.String()) {
		return nil
	}
	err = r.write(ctx, "edit summary", fmt.Sprint(pull.SummaryReview), func(ctx context.Context) error {
		return r.host.EditReview(ctx, r.repo, r.run.Number, pull.SummaryReview, body)
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound { // the text was deleted
		return nil
	}
	return err
}

// findings updates older comments with the new state of their findings: resolved, or returned.
func (r *reflection) findings(ctx context.Context, pub store.Publication, p publish.Payload) error {
	if len(p.Resolved)+len(p.Returned) == 0 {
		return nil
	}
	known, err := r.Store.KnownFindings(ctx, r.run.Owner(), r.run.PullRequest)
	if err != nil {
		return err
	}
	threads, err := r.threads(ctx)
	if err != nil {
		return err
	}
	head, words := markdown.Span(r.run.HeadSHA[:min(len(r.run.HeadSHA), 7)]), wording.In(p.Language)
	for _, k := range known {
		back := slices.IndexFunc(p.Returned, func(e publish.Return) bool { return e.FindingID == k.ID })
		switch title := r.title(words, k.Finding); {
		case back >= 0 && k.State == domain.FindingOpen:
			if err = r.replaceComment(ctx, pub, k.ID, domain.HostID(p.Returned[back].Comment),
				returnedText(words, head, title, pub.URL)); err == nil {
				err = r.reopen(ctx, domain.HostID(p.Returned[back].Comment))
			}
		case slices.Contains(p.Resolved, k.ID) && k.State == domain.FindingResolved && k.CommentID != "" &&
			(k.ResolvedRun == r.run.ID || k.ResolvedRun == ""):
			if err = r.replaceComment(ctx, pub, k.ID, k.CommentID, words.Say(wording.ResolvedIn, head, markdown.Struck(title))); err == nil {
				err = r.resolve(ctx, k, known, threads[k.CommentID])
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxTitle is the longest title in an edited comment, in characters.
const maxTitle = 120

// title returns the title of a finding, in the given language if a check wrote it.
func (r *reflection) title(words wording.Words, f domain.Finding) markdown.Text {
	show := wording.Show{
		Words: func(s string) markdown.Text { return words.Reader().Line(r.Scan(s), maxTitle) },
		Name:  func(s string) markdown.Text { return markdown.Span(r.Scan(s)) },
	}
	if !f.Origin.Deterministic() {
		return show.Words(f.Title)
	}
	return words.Translate(f.Title, wording.Titles, show)
}

// returnedText says that a finding is back, with a link to the review that reports it again.
func returnedText(words wording.Words, head, title markdown.Text, url string) markdown.Text {
	if !markdown.Linkable(url) {
		return words.Say(wording.CameBackIn, head, title)
	}
	return words.Say(wording.CameBackHere, head, title, markdown.Link(words.Say(wording.SaidAgain), url))
}

// replaceComment replaces the text of one of our comments. Its mark names the publication with the new text. A
// comment that a person deleted is not written again.
func (r *reflection) replaceComment(ctx context.Context, pub store.Publication, finding string, comment domain.HostID,
	words markdown.Text,
) error {
	marks, err := r.marks(pub)
	if err != nil {
		return err
	}
	mark, err := marks.Finding(publish.Place(r.run), pub.ID, finding)
	if err != nil {
		return err
	}
	err = r.write(ctx, "edit comment", fmt.Sprint(comment), func(ctx context.Context) error {
		return r.host.EditComment(ctx, r.repo, comment, markdown.Blocks(words.Scan(r.Scan), mark))
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}
