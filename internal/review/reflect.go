package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

// Reflect shows the end of a run on the host: check run, summary, comments of
// findings that are gone. All of it may be repeated.
func (s *Service) Reflect(ctx context.Context, c *jobs.Claim) error {
	run, err := s.Store.RunForWork(ctx, c.Job.Subject)
	if err != nil {
		return err
	}
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, ErrDisconnected) {
		return nil // disconnected: there is nobody to tell
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	r := &reflection{Service: s, claim: c, run: run, host: host, repo: repo}
	err = r.do(ctx)
	if codehost.Gone(err) {
		s.Logger.WarnContext(ctx, "the end of a run could not be shown on the host", "run", run.ID, "error", err)
		return nil
	}
	return jobs.Waiting(err)
}

type reflection struct {
	*Service
	claim *jobs.Claim
	run   store.Run
	host  codehost.Host
	repo  codehost.Repo
}

func (r *reflection) do(ctx context.Context) error {
	pub, err := r.Store.PublicationOf(ctx, scope(r.run), r.run.ID)
	published := err == nil && pub.Phase == domain.PhasePublished
	if err != nil && !errs.Is(err, errs.NotFound) {
		return err
	}
	if silent, err := r.silent(ctx, pub); err != nil || silent {
		return err
	}
	if pub.Phase == domain.PhaseAbandoned || pub.Gen > 1 { // a second worker, or an end half-way, may have left drafts
		if err := r.Publisher.Clean(ctx, r.run, r.host, r.repo); err != nil {
			return err
		}
	}
	var p publish.Payload
	if published {
		if err := json.Unmarshal([]byte(pub.Payload), &p); err != nil {
			return &jobs.Fatal{Err: err}
		}
	}
	if published {
		if err := r.texts(ctx, pub, p); err != nil {
			return err
		}
	}
	return r.check(ctx, published, p) // the last, because it may have to wait for a lost answer
}

// texts brings what a published review says elsewhere up to date.
func (r *reflection) texts(ctx context.Context, pub store.Publication, p publish.Payload) error {
	if err := r.comments(ctx, pub); err != nil {
		return err
	}
	if err := r.summary(ctx, pub, p); err != nil {
		return err
	}
	return r.resolved(ctx, p)
}

// silent reports whether nothing of the run may be seen on the host: what was
// decided when it was published, or what the policy says where it was not.
func (r *reflection) silent(ctx context.Context, pub store.Publication) (bool, error) {
	if pub.ID != "" {
		return pub.Kind == publish.KindNone, nil
	}
	policy, err := r.Policy(ctx, scope(r.run), r.run.Repository)
	return policy.PublishMode == domain.PublishSilent, err
}

// reflectSubject names the subject of these writes in the intent log.
const reflectSubject = "reflect"

// write sends one repeatable write with its intent recorded first.
func (r *reflection) write(ctx context.Context, verb, target string, send func(ctx context.Context) error) error {
	r.claim.Stage("reflect: "+verb, 2*time.Minute)
	if err := r.claim.Renew(ctx); err != nil {
		return err
	}
	id, _, err := r.Store.BeginWrite(ctx, scope(r.run), store.WriteAttempt{SubjectKind: reflectSubject, SubjectID: r.run.ID, Verb: verb, Target: target, Gen: r.claim.Job.Gen})
	if err != nil {
		return err
	}
	err = send(ctx)
	outcome := "ok"
	if err != nil {
		outcome = string(codehost.ClassOf(err))
	}
	return errors.Join(err, r.Store.EndWrite(context.WithoutCancel(ctx), id, outcome))
}

// comments learns the host's ids of the inline comments, by their markers.
func (r *reflection) comments(ctx context.Context, pub store.Publication) error {
	if pub.ReviewID == 0 {
		return nil
	}
	list, err := r.host.ReviewComments(ctx, r.repo, r.run.Number, pub.ReviewID)
	if err != nil {
		return err
	}
	known, err := r.Store.KnownFindings(ctx, scope(r.run), r.run.PullRequest)
	if err != nil {
		return err
	}
	byPrint := map[string]string{}
	for _, k := range known {
		byPrint[k.Fingerprints.Exact] = k.ID
	}
	for _, c := range list {
		print, ok := r.Marker.FindFinding(c.Body)
		if id := byPrint[print]; ok && c.Mine && id != "" {
			if err := r.Store.SetCommentID(ctx, scope(r.run), id, c.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// summary edits the body of the pull request's first review.
func (r *reflection) summary(ctx context.Context, pub store.Publication, p publish.Payload) error {
	pull, err := r.Store.PullRequest(ctx, scope(r.run), r.run.PullRequest)
	if err != nil || p.SummaryBody == "" || pull.SummaryReview == 0 || pull.SummaryReview == pub.ReviewID || pull.ReviewedHead != r.run.HeadSHA {
		return err
	}
	review, err := r.host.Review(ctx, r.repo, r.run.Number, pull.SummaryReview)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil // somebody deleted it; it is not written anew
	}
	if err != nil {
		return err
	}
	body := p.SummaryBody
	if mark, ok := r.markOf(review.Body); ok { // the review stays its own publication
		body += "\n\n" + mark
	}
	return r.write(ctx, "edit summary", fmt.Sprint(pull.SummaryReview), func(ctx context.Context) error {
		return r.host.EditReview(ctx, r.repo, r.run.Number, pull.SummaryReview, body)
	})
}

// markOf returns the marker line of a review's body.
func (r *reflection) markOf(body string) (string, bool) {
	if _, ok := r.Marker.FindPublication(body); !ok {
		return "", false
	}
	for _, line := range strings.Split(body, "\n") {
		if _, ok := r.Marker.FindPublication(line); ok {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}

// resolved marks the comments of findings that are gone. Closing the thread
// needs a permission that we do not ask for, so our own comment says it.
func (r *reflection) resolved(ctx context.Context, p publish.Payload) error {
	if len(p.Resolved) == 0 {
		return nil
	}
	known, err := r.Store.KnownFindings(ctx, scope(r.run), r.run.PullRequest)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, id := range p.Resolved {
		gone[id] = true
	}
	for _, k := range known {
		if !gone[k.ID] || k.CommentID == 0 || k.State != domain.FindingResolved {
			continue
		}
		mark, err := r.Marker.Finding(k.Fingerprints.Exact)
		if err != nil {
			return err
		}
		body := fmt.Sprintf("**Resolved** in `%.7s`: ~~%s~~\n\n%s", r.run.HeadSHA, r.Scan(plain(k.Title)), mark)
		if err := r.write(ctx, "resolve comment", fmt.Sprint(k.CommentID), func(ctx context.Context) error {
			return r.host.EditComment(ctx, r.repo, k.CommentID, body)
		}); err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
			return err
		}
	}
	return nil
}
