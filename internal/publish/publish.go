// Package publish turns a finished run into exactly one visible review on a host.
//
// Its steps, each after the previous one is committed or answered:
//
//	prepare   freeze the payload; take the generation of the job's claim
//	intend    record the intent to create; phase CREATING
//	create    make the review as a draft that only its author sees
//	choose    record the draft's id by compare-and-swap; phase CHOSEN
//	look      give the draft up if the pull request is closed or a newer head is reviewed
//	intend    record the intent to submit; phase SUBMITTING
//	submit    make exactly the chosen draft visible
//	record    phase PUBLISHED, with run, findings, events and the job's end in one transaction
//
// On hosts where people see drafts, or a draft may exist in part, one write makes the review visible. The
// publisher looks for the review before each create, and waits after a lost answer (direct.go).
//
// On hosts where a review is not an object, each comment goes through these steps by itself: all are
// drafted and chosen, then made visible one by one, the summary last (notes.go). On hosts that can prepare
// nothing unseen, each comment is written, chosen and read back before the next, again the summary last
// (marked.go). The capabilities of a host choose between the four protocols ([codehost.Capabilities.Protocol]).
//
// After a crash, the next worker begins at the stored phase and asks the host before it sends anything
// again. If there is no next worker, [Publisher.Settle] ends the publication according to the host's
// answers.
//
// Every feature that publishes uses this package. It runs no model, decides nothing about content, and
// writes outside only through a [codehost.Publisher]. Safety rests on one row: the compare-and-swap that
// chooses which object on the host is the review. A crash, an ambiguous answer or a late worker can leave
// invisible drafts, but no second visible review; on hosts without private drafts the janitor deletes twins.
package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// The kinds of publication.
const (
	KindReview = "review"
	KindEdit   = "edit" // the summary, if there is one, is edited, and nothing new is visible but the check
	KindNone   = "none" // the policy is silent
)

// Comment is an inline comment of a payload.
type Comment struct {
	codehost.DraftComment
	FindingID   string `json:"findingId"`
	Fingerprint string `json:"fingerprint"`
}

// Return is a finding that is back, with the comment that reports it as resolved.
type Return struct {
	FindingID string          `json:"findingId"`
	Comment   domain.StoredID `json:"comment"` // the host's id
}

// Raise is a finding of an earlier review that is now more severe.
type Raise struct {
	FindingID string          `json:"findingId"`
	From      domain.Severity `json:"from"`
	To        domain.Severity `json:"to"`
}

// Payload is everything that a publication writes, frozen before the first external write. A retry never
// makes model output again.
type Payload struct {
	Commit      string        `json:"commit"`
	Language    string        `json:"language,omitempty"` // tag of the language of our own texts; "" is English
	Body        markdown.Text `json:"body"`               // without marks, as all texts here
	Comments    []Comment     `json:"comments"`
	SummaryBody markdown.Text `json:"summaryBody"`        // new body of the first review, if this is a later one
	Posted      []string      `json:"posted"`             // findings that the review shows
	Resolved    []string      `json:"resolved"`           // findings that no longer hold
	Returned    []Return      `json:"returned,omitempty"` // shown findings that an earlier review reported as resolved
	Raised      []Raise       `json:"raised,omitempty"`   // findings whose threads get a note that they are more severe
	Hunks       []string      `json:"hunks"`              // hunks that count as reviewed after publication
	Issues      *Issues       `json:"issues,omitempty"`   // where the summary describes tracker issues
	Drafted     []string      `json:"drafted,omitempty"`  // digests of earlier draft texts that were moved to the body or replaced
	Check       struct {
		Title      markdown.Text `json:"title"`
		Summary    markdown.Text `json:"summary"`
		Conclusion string        `json:"conclusion"`
	} `json:"check"`
}

// Freeze returns the payload's text and digest.
func (p Payload) Freeze() (text, sha string, err error) {
	b, err := json.Marshal(p)
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(b)
	return string(b), hex.EncodeToString(sum[:]), nil
}

// Names in the intent log.
const (
	subjectPublication = "publication"
	verbCreate         = "create"
	verbSubmit         = "submit"
	verbEdit           = "edit draft"    // of the summary, to add comments that could not be shown
	verbResolve        = "resolve"       // the thread of the summary
	verbDelete         = "delete draft"  // the chosen one
	verbOrphan         = "delete orphan" // a draft of a finished publication
	verbTwin           = "delete twin"   // a visible review beside the one that counts
)

// Claim is the worker's hold on the job that publishes.
type Claim interface {
	Left(ctx context.Context) (time.Duration, error)
	Renew(ctx context.Context) error
	Finish(ctx context.Context) error
	Stage(name string, limit time.Duration)
}

// ErrTakenOver means that another worker has changed the publication.
var ErrTakenOver = errors.New("another worker has taken the publication over")

// Observer receives the ends of publications, for metrics.
type Observer interface{ Published(kind, outcome string) }

// Publisher runs the protocol.
type Publisher struct {
	Store    *store.Store
	Runs     *run.Runs
	Marker   marker.Marker
	Logger   *slog.Logger
	Observer Observer // may be nil
	// WriteTime is how long the host's adapter lets one write take after the gate has admitted it. The
	// lease must outlive it by Margin, which includes the wait for the gate. 20 s and 10 s if 0.
	WriteTime, Margin time.Duration
	// Quiet is how long after its intent an unanswered create may still be applied. Another visible create
	// is sent only later. WriteTime, Margin and 60 s if 0.
	Quiet time.Duration
	// Fit returns the part of a frozen payload that may be sent now. It is called before each write that
	// contains text; nil: the payload is sent as frozen.
	Fit func(ctx context.Context, t domain.Tenant, run string, p Payload) (Payload, error)
	// LookAgain are the pauses between looks for a draft that holds the slot but is not listed yet; 1, 2,
	// 5, 10, 30 s if nil.
	LookAgain []time.Duration
}

// Task is one publication to complete.
type Task struct {
	Run    store.Run
	Pull   store.PullRequest
	Output store.Output
	Kind   string
	// Payload is used if the publication does not exist yet. Afterwards the frozen one counts.
	Payload Payload
	Job     string
	Gen     int64
	Claim   Claim
	Host    codehost.Host
	Repo    codehost.Repo
}

// Place returns the place for the marks of a run's texts.
func Place(r store.Run) marker.Place {
	return marker.Place{Tenant: r.Tenant, Repository: r.Repository, Number: r.Number}
}

func (t Task) tenant() domain.Tenant { return domain.Tenant{ID: t.Run.Tenant} }

// Run completes a publication: PUBLISHED, or ABANDONED with a reason. It may be called any number of times,
// by any worker, in any phase. After an error, call it again later; an error of class
// [codehost.ClassLimited] names the time.
func (p *Publisher) Run(ctx context.Context, t Task) error {
	ctx = codehost.WithReceipt(ctx)
	if t.Kind == KindReview && !hasProtocol(t.Host) {
		return errs.New(errs.Unbuilt, "protocol_unbuilt", "Reviews cannot be published on this kind of host yet.")
	}
	text, sha, err := t.Payload.Freeze()
	if err != nil {
		return err
	}
	pub, err := p.Store.Prepare(ctx, t.tenant(), store.Publication{Run: t.Run.ID, Output: t.Output.ID, Kind: t.Kind, Payload: text,
		PayloadSHA256: sha, MarkKey: p.Marker.Key()}, t.Job, t.Gen)
	if errs.Is(err, errs.Stale) {
		return fmt.Errorf("%w: %w", ErrTakenOver, err)
	}
	if err != nil {
		return err
	}
	s := &session{Publisher: p, Task: t, pub: pub, log: p.Logger.With("run", t.Run.ID, "publication", pub.ID, "generation", pub.Gen)}
	if err := s.decodePayload(); err != nil {
		return err
	}
	most := maxSteps + 2*len(s.payload.Comments)
	for n := 0; !s.pub.Phase.Terminal(); n++ {
		if n == most {
			return fmt.Errorf("publication %s does not get on in phase %s", pub.ID, s.pub.Phase)
		}
		if err := s.step(ctx); err != nil {
			return err
		}
	}
	if s.ended { // the last phase has ended the job too
		return nil
	}
	return s.settle(ctx)
}

// maxSteps bounds the steps of one attempt, without two for each comment, which may be refused and looked
// for: each phase once, and a few orphans and refusals.
const maxSteps = 30

// session is one worker's work on one publication.
type session struct {
	*Publisher
	Task
	pub     store.Publication
	payload Payload
	log     *slog.Logger
	ended   bool
	looks   int
	asked   bool // comment by comment: this attempt has checked whether the remaining comments may become visible
}

func (s *session) decodePayload() error {
	s.payload = Payload{}
	if err := json.Unmarshal([]byte(s.pub.Payload), &s.payload); err != nil {
		return fmt.Errorf("publication %s: its frozen payload cannot be read: %w", s.pub.ID, err)
	}
	return nil
}

// protocol holds the step of each phase, and how a publication is settled whose job died after its choice.
// A session is the protocol of hosts on which a review is a draft first.
type protocol interface {
	prepared(ctx context.Context) error
	creating(ctx context.Context) error
	chosen(ctx context.Context) error
	submitting(ctx context.Context) error
	settleChosen(ctx context.Context) error
}

// protocol returns the host's protocol for the kind of publication.
func (s *session) protocol() protocol {
	if s.pub.Kind != KindReview {
		return s
	}
	if host := codehost.NotesOf(s.Host); host != nil {
		return newNotes(s, host)
	}
	if host := codehost.DirectOf(s.Host); host != nil {
		return &direct{s, host}
	}
	if host := codehost.MarkedOf(s.Host); host != nil {
		return newMarked(s, host)
	}
	return s
}

// step does the step of the present phase.
func (s *session) step(ctx context.Context) error {
	p := s.protocol()
	switch s.pub.Phase {
	case domain.PhasePrepared:
		return p.prepared(ctx)
	case domain.PhaseCreating:
		return p.creating(ctx)
	case domain.PhaseChosen:
		return p.chosen(ctx)
	case domain.PhaseSubmitting:
		return p.submitting(ctx)
	default:
		return fmt.Errorf("publication %s is in the unknown phase %s", s.pub.ID, s.pub.Phase)
	}
}

// move changes the phase under this worker's generation.
func (s *session) move(ctx context.Context, to domain.Phase, url, reason string) error {
	ok, err := s.Store.MovePublication(ctx, s.tenant(), s.pub.ID, s.pub.Gen, s.pub.Phase, to, url, reason)
	if err != nil {
		return err
	}
	if !ok {
		return ErrTakenOver
	}
	s.pub.Phase, s.pub.URL, s.pub.Reason = to, url, reason
	return nil
}

// times returns how long one write may take, and by how much the lease must outlive it.
func (p *Publisher) times() (write, margin time.Duration) {
	write, margin = p.WriteTime, p.Margin
	if write <= 0 {
		write = 20 * time.Second
	}
	if margin <= 0 {
		margin = 10 * time.Second
	}
	return write, margin
}

// ready ensures that the lease outlives one write.
func (s *session) ready(ctx context.Context) error {
	write, margin := s.times()
	need := write + margin
	left, err := s.Claim.Left(ctx)
	if err != nil {
		return err
	}
	if left < need {
		return s.Claim.Renew(ctx)
	}
	return nil
}

// hasProtocol reports whether there is a protocol for the host's capabilities.
func hasProtocol(host codehost.Publisher) bool {
	switch host.Capabilities().Protocol() {
	case codehost.ProtocolDraft:
		return true
	case codehost.ProtocolDirect:
		return codehost.DirectOf(host) != nil
	case codehost.ProtocolNotes:
		return codehost.NotesOf(host) != nil
	case codehost.ProtocolMarked:
		return codehost.MarkedOf(host) != nil
	}
	return false
}

// intend commits the intent of a write, with the phase it belongs to, before the write is sent.
func (s *session) intend(ctx context.Context, verb, target string, to domain.Phase) (attempt string, err error) {
	return s.intendWith(ctx, verb, target, func(ctx context.Context) error {
		if to == s.pub.Phase {
			return nil
		}
		return s.move(ctx, to, "", "")
	})
}

// intendWith commits the intent of a write before the write is sent, with further changes in the same
// transaction.
func (s *session) intendWith(ctx context.Context, verb, target string, with func(context.Context) error) (attempt string, err error) {
	if err := s.ready(ctx); err != nil {
		return "", err
	}
	codehost.StoreReceipt(ctx, 0, "") // drops an earlier answer
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		if err := with(ctx); err != nil {
			return err
		}
		id, held, err := s.Store.BeginWrite(ctx, s.tenant(), store.WriteAttempt{SubjectKind: subjectPublication, SubjectID: s.pub.ID,
			Verb: verb, Target: target, Gen: s.pub.Gen})
		if err == nil && !held {
			err = ErrTakenOver
		}
		attempt = id
		return err
	})
	return attempt, err
}

// pull names the pull request as the target of a write.
func (s *session) pull() string { return fmt.Sprintf("%s#%d", s.Repo.FullName(), s.Task.Run.Number) }

// recordWrite records how a write ended. A failure of the record only affects the history.
func (p *Publisher) recordWrite(ctx context.Context, attempt string, err error) {
	end := store.WriteEnd{Outcome: "ok"}
	if err != nil {
		end.Outcome = cmp.Or(string(codehost.ClassOf(err)), "error")
	}
	end.Status, end.RequestID = codehost.ReceiptOf(ctx)
	if err := p.Store.EndWrite(context.WithoutCancel(ctx), attempt, end); err != nil {
		p.Logger.Warn("the end of a write could not be recorded", "error", err)
	}
}
