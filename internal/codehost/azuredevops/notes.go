package azuredevops

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// account is the account of the token in an organisation.
type account struct {
	id    domain.HostID
	login string
}

// ownAccount returns our account in the organisation of an owner. It asks the host once.
func (h *Host) ownAccount(ctx context.Context, owner string) (account, error) {
	organisation, _ := divide(owner)
	h.mu.Lock()
	known := h.account[organisation]
	h.mu.Unlock()
	if known.id != "" {
		return known, nil
	}
	const op = "own account"
	var got connectionData
	if err := h.read(ctx, op, connectionRequest(owner), &got); err != nil {
		return account{}, err
	}
	known = account{guid(got.User.ID), cmp.Or(got.User.Properties.Account.Value, got.User.DisplayName)}
	if known.id == "" {
		return account{}, unexpected(op, "the answer names no account")
	}
	h.mu.Lock()
	h.account[organisation] = known
	h.mu.Unlock()
	return known, nil
}

// connectionData is the account of a token. The description of the interface has no page of it; the form is that of Microsoft's clients
// (azure-devops-node-api, LocationsInterfaces, ConnectionData).
type connectionData struct {
	User struct {
		ID          string `json:"id"`
		DisplayName string `json:"providerDisplayName"`
		Properties  struct {
			Account struct {
				Value string `json:"$value"`
			} `json:"Account"`
		} `json:"properties"`
	} `json:"authenticatedUser"`
	Instance string `json:"instanceId"`
}

func connectionRequest(owner string) request {
	return request{path: orgPath(owner) + "/_apis/connectionData", version: "7.1-preview"}
}

// comment converts a comment of a thread.
func (h *Host) comment(self account, repo codehost.Repo, number int, t threadRef, c commentRef) codehost.Comment {
	out := codehost.Comment{ID: commentID{number, t.ID, c.ID}.id(), Body: c.Content, Mine: self.id != "" && guid(c.Author.ID) == self.id,
		URL: h.pullURL(repo, number) + "?discussionId=" + strconv.FormatInt(t.ID, 10)}
	if t.Place != nil {
		out.Path, out.Side, _, out.Line = t.Place.span()
		out.Open = t.open()
	}
	if len(t.Comments) > 0 && t.Comments[0].ID == c.ID {
		out.Body, out.Answered = withMark(c.Content, t.mark()), t.answered()
	}
	return out
}

// withMark appends the mark that is kept beside a thread, unless the text has one itself: an edited text keeps its new mark.
func withMark(text, mark string) string {
	if markdown.Marked(text) {
		return text
	}
	return markdown.JoinMark(text, mark)
}

// threads lists the threads of a pull request, oldest first, with places in an iteration, or as written for 0. The interface has no pages
// for them.
func (h *Host) threads(ctx context.Context, op string, repo codehost.Repo, number, iteration int) ([]threadRef, error) {
	r := request{path: pullPath(repo, number) + "/threads", query: url.Values{}}
	if iteration > 0 {
		r.query.Set("$iteration", strconv.Itoa(iteration))
		r.query.Set("$baseIteration", "0")
	}
	var got answerList[threadRef]
	if err := h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Bytes: wire.MaxDiffs}, r, &got); err != nil {
		return nil, h.orMoved(ctx, op, repo, err)
	}
	slices.SortStableFunc(got.Value, func(a, b threadRef) int { return cmp.Compare(a.ID, b.ID) })
	return got.Value, nil
}

// ownThreads returns our account and the threads whose first comment people see.
func (h *Host) ownThreads(ctx context.Context, op string, repo codehost.Repo, number int) (self account, out []threadRef, err error) {
	if err := checkPull(op, repo, number); err != nil {
		return self, nil, err
	}
	list, err := h.threads(ctx, op, repo, number, 0)
	if err != nil {
		return self, nil, err
	}
	comments := 0
	for _, t := range list {
		if comments += len(t.Comments); comments > codehost.MaxNotes {
			return self, nil, wire.TooMany(op, codehost.MaxNotes, "comments of the pull request")
		}
		if _, ok := t.begins(); ok {
			out = append(out, t)
		}
	}
	self, err = h.ownAccount(ctx, repo.Owner)
	return self, out, err
}

// Notes implements [codehost.MarkedNotes].
func (h *Host) Notes(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Comment, err error) {
	self, list, err := h.ownThreads(ctx, "list comments", repo, number)
	for _, t := range list {
		out = append(out, h.comment(self, repo, number, t, t.Comments[0]))
	}
	return out, err
}

// Reviews implements [codehost.Publisher] with the comments that begin threads of the conversation, of all accounts.
func (h *Host) Reviews(ctx context.Context, repo codehost.Repo, number int) (out []codehost.Review, err error) {
	list, err := h.Notes(ctx, repo, number)
	for _, c := range list {
		if c.Path == "" {
			out = append(out, reviewOf(c))
		}
	}
	return out, err
}

func reviewOf(c codehost.Comment) codehost.Review {
	return codehost.Review{ID: c.ID, State: codehost.ReviewSubmitted, Body: c.Body, URL: c.URL, Mine: c.Mine}
}

// ReviewComments implements [codehost.Publisher] with all inline comments of the account, because threads do not belong to reviews.
func (h *Host) ReviewComments(ctx context.Context, repo codehost.Repo, number int, _ domain.HostID) (out []codehost.Comment, err error) {
	list, err := h.Notes(ctx, repo, number)
	for _, c := range list {
		if c.Path != "" && c.Mine {
			out = append(out, c)
		}
	}
	return out, err
}

// thread reads a thread and finds a comment of it that people see.
func (h *Host) thread(ctx context.Context, op string, repo codehost.Repo, at commentID) (t threadRef, c commentRef, err error) {
	if err := checkRepo(op, repo); err != nil {
		return t, c, err
	}
	if err := h.read(ctx, op, request{path: at.threadPath(repo)}, &t); err != nil {
		return t, c, err
	}
	if t.ID != at.thread {
		return t, c, unexpected(op, "the answer is not the thread")
	}
	for _, c := range t.Comments {
		if c.ID == at.comment && c.isShown() && !t.Deleted {
			return t, c, nil
		}
	}
	return t, c, codehost.NoComment(op)
}

// Note implements [codehost.MarkedNotes].
func (h *Host) Note(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Comment, error) {
	const op = "read comment"
	at, err := commentOf(op, number, id)
	if err != nil {
		return codehost.Comment{}, err
	}
	t, c, err := h.thread(ctx, op, repo, at)
	if err != nil {
		return codehost.Comment{}, err
	}
	self, err := h.ownAccount(ctx, repo.Owner)
	return h.comment(self, repo, number, t, c), err
}

// Review implements [codehost.Publisher] with a comment of the conversation.
func (h *Host) Review(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) (codehost.Review, error) {
	c, err := h.Note(ctx, repo, number, id)
	if err == nil && c.Path != "" {
		err = &codehost.Error{Class: codehost.ClassNotFound, Op: "read comment", Message: "this is not a comment of the conversation"}
	}
	if err != nil {
		return codehost.Review{}, err
	}
	return reviewOf(c), nil
}

// newThread is the body of a new thread.
type newThread struct {
	Comments   []newComment              `json:"comments"`
	Status     string                    `json:"status,omitempty"`
	Place      *placeRef                 `json:"threadContext,omitempty"`
	Pull       *pullContext              `json:"pullRequestThreadContext,omitempty"`
	Properties map[string]map[string]any `json:"properties,omitempty"`
}

type newComment struct {
	Parent  int    `json:"parentCommentId"`
	Content string `json:"content"`
	Type    string `json:"commentType"`
}

// pullContext names the iterations that a place was chosen in: the merge base on the left, the head's iteration on the right.
type pullContext struct {
	Tracking   int `json:"changeTrackingId,omitempty"`
	Iterations struct {
		First  int `json:"firstComparingIteration"`
		Second int `json:"secondComparingIteration"`
	} `json:"iterationContext"`
}

// newThreadOf returns a thread with one comment. The mark of its text becomes a property. Without a state a thread cannot be closed, and
// does not count for the policy that all comments must be resolved; threads on lines are active.
func newThreadOf(body markdown.Text) newThread {
	text, mark := body.SplitMark()
	out := newThread{Comments: []newComment{{Content: text, Type: "text"}}}
	if text == "" {
		out.Comments[0].Content, mark = body.String(), ""
	}
	if mark != "" {
		out.Properties = map[string]map[string]any{markProperty: {"$type": "System.String", "$value": mark}}
	}
	return out
}

// CreateNote implements [codehost.MarkedNotes].
func (h *Host) CreateNote(ctx context.Context, repo codehost.Repo, number int, commit string,
	note codehost.DraftComment) (codehost.Comment, error) {
	const op = "create comment"
	if err := checkPull(op, repo, number); err != nil {
		return codehost.Comment{}, err
	}
	if err := wire.CheckNote(op, h.Capabilities(), commit, note); err != nil {
		return codehost.Comment{}, err
	}
	body := newThreadOf(note.Body)
	if note.Path != "" {
		v, err := h.versionAt(ctx, op, repo, number, commit)
		if err != nil {
			return codehost.Comment{}, err
		}
		place, tracking, err := h.place(ctx, op, repo, v, note)
		if err != nil {
			return codehost.Comment{}, err
		}
		body.Status, body.Place, body.Pull = "active", place, &pullContext{Tracking: tracking}
		body.Pull.Iterations.First, body.Pull.Iterations.Second = v.id, v.id
	}
	return h.begin(ctx, op, repo, number, body)
}

// begin makes a thread.
func (h *Host) begin(ctx context.Context, op string, repo codehost.Repo, number int, body newThread) (codehost.Comment, error) {
	var made threadRef
	err := h.write(ctx, op, request{method: http.MethodPost, path: pullPath(repo, number) + "/threads", body: body}, &made)
	if err != nil {
		return codehost.Comment{}, h.orMoved(ctx, op, repo, err)
	}
	first, ok := made.begins()
	if !ok {
		return codehost.Comment{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	out := h.comment(account{}, repo, number, made, first)
	out.Mine = true
	return out, nil
}

// DeleteNote implements [codehost.MarkedNotes]. The host answers the deletion of another account's comment with 403, too.
func (h *Host) DeleteNote(ctx context.Context, repo codehost.Repo, number int, id domain.HostID) error {
	const op = "delete comment"
	c, err := h.Note(ctx, repo, number, id)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		return nil
	case err != nil:
		return err
	case !c.Mine:
		return codehost.Refused(op, "the comment is of another account")
	}
	at, err := commentOf(op, number, id)
	if err != nil {
		return err
	}
	err = h.write(ctx, op, request{method: http.MethodDelete, path: at.path(repo)}, nil)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}

// EditReview implements [codehost.Publisher].
func (h *Host) EditReview(ctx context.Context, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	return h.edit(ctx, "edit comment of the conversation", repo, number, id, body)
}

// EditComment implements [codehost.Publisher].
func (h *Host) EditComment(ctx context.Context, repo codehost.Repo, id domain.HostID, body markdown.Text) error {
	return h.edit(ctx, "edit comment", repo, 0, id, body)
}

// EditReply implements [codehost.Publisher].
func (h *Host) EditReply(ctx context.Context, repo codehost.Repo, at codehost.Spot, id domain.HostID, body markdown.Text) error {
	return h.edit(ctx, "edit reply", repo, at.Number, id, body)
}

// edit replaces the text of a comment of a pull request, or of any pull request if number is 0. A mark that is kept beside the thread stays
// there; another mark goes into the text, as a link definition that people do not see, because one write must change both.
func (h *Host) edit(ctx context.Context, op string, repo codehost.Repo, number int, id domain.HostID, body markdown.Text) error {
	at, err := commentOf(op, number, id)
	if err != nil {
		return err
	}
	if err := wire.CheckText(op, body.String(), h.Capabilities().MaxBody); err != nil {
		return err
	}
	t, c, err := h.thread(ctx, op, repo, at)
	if err != nil {
		return err
	}
	content := body.String()
	if text, mark := body.SplitMark(); mark != "" && mark == t.mark() && c.ID == t.Comments[0].ID {
		content = text
	}
	return h.write(ctx, op, request{method: http.MethodPatch, path: at.path(repo), body: map[string]string{"content": content}}, nil)
}
