package httpapi

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Approval is a finished review that waits for a decision or has one. Title and author are text from
// outside.
type Approval struct {
	ID           string           `json:"id" doc:"Of the pending output"`
	RunID        string           `json:"runId"`
	RepositoryID string           `json:"repositoryId"`
	Repository   string           `json:"repository" doc:"Its owner and name" example:"octo/shop"`
	State        string           `json:"state" enum:"pending,approved,published,rejected,expired" doc:"approved: it is on its way to the code host; the run says what became of it"`
	Digest       string           `json:"digest" doc:"Of the output, for the decision"`
	PullRequest  ApprovalFor      `json:"pullRequest"`
	HeadSHA      string           `json:"headSha"`
	CreatedAt    time.Time        `json:"createdAt" doc:"Since when it waits, or waited"`
	ExpiresAt    time.Time        `json:"expiresAt" doc:"When it expires, or would have: nothing is published then"`
	Review       ApprovalText     `json:"review" doc:"Exactly what would be published"`
	Findings     []Finding        `json:"findings" doc:"That the review shows, in rank order; these can be dropped or edited"`
	Changeable   bool             `json:"changeable" doc:"Findings can be dropped and edited: not where it is decided, nor for reviews of versions that could not change them"`
	Decision     *ApprovalOutcome `json:"decision,omitempty" doc:"Absent while it waits"`
}

// ApprovalFor is the pull request of an output.
type ApprovalFor struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Author string `json:"author"`
}

// ApprovalText is the text of a review as it is published.
type ApprovalText struct {
	Kind         string            `json:"kind" enum:"review,edit,none" doc:"review: a review is published; edit: the summary of the first review is edited, and nothing new is visible"`
	Body         string            `json:"body" doc:"Of the review, in Markdown, without the hidden marks"`
	Summary      string            `json:"summary" doc:"That takes the place of the first review's body; empty for the first review"`
	Comments     []ApprovalComment `json:"comments"`
	CheckTitle   string            `json:"checkTitle"`
	CheckSummary string            `json:"checkSummary"`
	Conclusion   string            `json:"conclusion" doc:"Of the check run: success, neutral or failure"`
}

// ApprovalComment is a comment on lines of a review.
type ApprovalComment struct {
	FindingID string `json:"findingId"`
	Path      string `json:"path"`
	Side      string `json:"side" doc:"RIGHT (new version) or LEFT (old version)"`
	StartLine int    `json:"startLine" doc:"0 for a comment on one line"`
	Line      int    `json:"line"`
	Body      string `json:"body"`
}

// ApprovalOutcome is the decision on an output.
type ApprovalOutcome struct {
	By        string             `json:"by" doc:"Id of the person; empty if the person has no user here, or if the review expired"`
	Name      string             `json:"name" doc:"As it was then, on the code host for a comment; empty where it expired"`
	How       string             `json:"how" enum:"interface,page,comment,service" doc:"service: it expired without a decision"`
	At        time.Time          `json:"at"`
	Note      string             `json:"note" doc:"Why; text from outside"`
	Drop      []string           `json:"drop" doc:"Findings that were left out"`
	Edit      []FindingEdit      `json:"edit" doc:"Findings that got other words, as they are published"`
	Published *ApprovalPublished `json:"published,omitempty" doc:"State of the decided changes; absent without changes"`
}

// ApprovalPublished is the output with a person's changes.
type ApprovalPublished struct {
	OutputID string       `json:"outputId"`
	Digest   string       `json:"digest"`
	Review   ApprovalText `json:"review"`
}

// ApprovalDecision approves or rejects a waiting output.
type ApprovalDecision struct {
	Digest string        `json:"digest" minLength:"1" maxLength:"100" doc:"Of the output that was looked at, as the list of approvals shows it" example:"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"`
	Note   string        `json:"note,omitempty" maxLength:"2000" doc:"Why, for the audit log and the page of the run" example:"The second finding is known"`
	Drop   []string      `json:"drop,omitempty" maxItems:"200" doc:"Ids of findings that are left out; only to approve" example:"[\"fnd_example\"]"`
	Edit   []FindingEdit `json:"edit,omitempty" maxItems:"200" doc:"Findings that are published with other words; only to approve"`
}

// FindingEdit replaces the words of one finding.
type FindingEdit struct {
	FindingID   string  `json:"findingId" minLength:"1" maxLength:"100" example:"fnd_example"`
	Title       *string `json:"title,omitempty" minLength:"1" maxLength:"200" doc:"Absent: stays"`
	Explanation *string `json:"explanation,omitempty" minLength:"1" maxLength:"4000" doc:"Absent: stays"`
}

// maxApprovalText is the number of bytes of text after which a page of approvals ends early.
const maxApprovalText = 4 << 20

// ApprovalsPage holds the parameters of a list of approvals.
type ApprovalsPage struct {
	Page
	State string `query:"state" enum:"pending,approved,published,rejected,expired,all" default:"pending" doc:"Only those in this state. A page ends early where its texts are long"`
}

func (s *server) tenantApprovals(ctx context.Context, in *struct {
	InTenant
	ApprovalsPage
}) (*Listed[Approval], error) {
	return s.approvals(ctx, "", in.ApprovalsPage)
}

func (s *server) repositoryApprovals(ctx context.Context, in *struct {
	InRepository
	ApprovalsPage
}) (*Listed[Approval], error) {
	return s.approvals(ctx, callerFrom(ctx).repository.ID, in.ApprovalsPage)
}

func (s *server) approvals(ctx context.Context, repository string, in ApprovalsPage) (*Listed[Approval], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	state := domain.ApprovalState(in.State)
	if in.State == "all" {
		state = ""
	}
	rows, err := s.Store.Approvals(ctx, callerFrom(ctx).tenant, repository, state, before, limit)
	if err != nil {
		return nil, err
	}
	out := &Listed[Approval]{List[Approval]{Items: []Approval{}}}
	size := 0
	for i, row := range rows {
		if i == in.Limit || size > maxApprovalText {
			last := rows[i-1].Place()
			out.Body.NextCursor = writeCursor(strconv.FormatInt(last.US, 10), last.ID)
			break
		}
		v, n, err := s.approval(ctx, row)
		if err != nil {
			return nil, err
		}
		size += n
		out.Body.Items = append(out.Body.Items, v)
	}
	return out, nil
}

// approval reads the data of an approval and returns the size of its texts in bytes.
func (s *server) approval(ctx context.Context, v store.Approval) (Approval, int, error) {
	t := domain.Tenant{ID: v.Tenant}
	out := Approval{ID: v.Output, RunID: v.Run, RepositoryID: v.Repository, Repository: v.Owner + "/" + v.Name,
		State: string(v.State), Digest: v.Digest,
		PullRequest: ApprovalFor{v.Number, v.Title, v.Author}, HeadSHA: v.HeadSHA,
		CreatedAt: store.Time(v.CreatedUS), ExpiresAt: store.Time(v.ExpiresUS), Changeable: v.Changeable &&
			v.State == domain.ApprovalPending, Findings: []Finding{}}
	text, posted, size, err := s.approvalText(ctx, t, v.Output)
	if err != nil {
		return out, 0, err
	}
	out.Review = text
	found, err := s.Store.RunFindings(ctx, t, v.Run)
	if err != nil {
		return out, 0, err
	}
	for _, f := range found {
		if slices.Contains(posted, f.ID) {
			out.Findings = append(out.Findings, finding(f))
			size += len(f.Explanation) + len(f.Title)
		}
	}
	if v.State == domain.ApprovalPending {
		return out, size, nil
	}
	changes := store.FromJSON[domain.ApprovalChanges](v.Changes)
	d := &ApprovalOutcome{By: v.DecidedBy, Name: v.DecidedName, How: v.How, At: store.Time(v.DecidedUS), Note: v.Note,
		Drop: notNil(changes.Drop), Edit: []FindingEdit{}}
	for _, e := range changes.Edit {
		d.Edit = append(d.Edit, FindingEdit(e))
	}
	out.Decision = d
	if v.Child == "" {
		return out, size, nil
	}
	row, err := s.Store.Output(ctx, t, v.Child)
	if err != nil {
		return out, 0, err
	}
	d.Published = &ApprovalPublished{OutputID: row.ID, Digest: row.Digest}
	more := 0
	d.Published.Review, _, more, err = s.approvalText(ctx, t, v.Child)
	return out, size + more, err
}

// approvalText reads the text of an output, the ids of its findings, and its size in bytes.
func (s *server) approvalText(ctx context.Context, t domain.Tenant,
	output string) (out ApprovalText, posted []string, size int, err error) {
	row, err := s.Store.Output(ctx, t, output)
	if err != nil {
		return out, nil, 0, err
	}
	out, posted, err = s.outputText(ctx, t, row)
	return out, posted, len(row.Body), err
}

// DecisionInput is the input of a decision.
type DecisionInput struct {
	InRepository
	PendingOutputID string `path:"pendingOutputId"`
	Body            ApprovalDecision
}

func (s *server) approve(ctx context.Context, in *DecisionInput) (*Read[Approval], error) {
	return s.decide(ctx, in, domain.ApprovalApproved)
}

func (s *server) reject(ctx context.Context, in *DecisionInput) (*Read[Approval], error) {
	return s.decide(ctx, in, domain.ApprovalRejected)
}

func (s *server) decide(ctx context.Context, in *DecisionInput, to domain.ApprovalState) (*Read[Approval], error) {
	c := callerFrom(ctx)
	d := approval.Decision{To: to, Digest: in.Body.Digest, Note: in.Body.Note, How: domain.ByInterface, UserID: c.user.ID,
		Name: c.user.Name, Changes: domain.ApprovalChanges{Drop: in.Body.Drop}}
	for _, e := range in.Body.Edit {
		d.Changes.Edit = append(d.Changes.Edit, domain.FindingWords(e))
	}
	row, err := s.Approvals.Decide(ctx, c.tenant, c.repository, in.PendingOutputID, d)
	if err != nil {
		return nil, err
	}
	v, _, err := s.approval(ctx, row)
	return read(v, err)
}
