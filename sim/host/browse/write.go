package browse

import (
	"context"
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// People acts as a person of a simulated host.
type People interface {
	Comment(ctx context.Context, repo string, number int, in simapi.CommentSpec) (simapi.Comment, error)
	Commit(ctx context.Context, repo string, in simapi.CommitSpec) (simapi.Commit, error)
	UpdatePull(ctx context.Context, repo string, number int, in simapi.PullUpdate) (simapi.Pull, error)
	ApplySuggestion(ctx context.Context, repo string, number int, in simapi.SuggestionSpec) (simapi.Commit, error)
	// Mergeable returns an error that explains why a pull request cannot be merged, nil if it can.
	Mergeable(repo string, number int) error
	Reply(ctx context.Context, repo string, number int, in simapi.ReplySpec) (simapi.Comment, error)
	EditComment(ctx context.Context, repo string, id int64, in simapi.EditSpec) error
}

// maxForm bounds the body of a form in bytes.
const maxForm = 256 << 10

// sameSite refuses forms of other sites.
var sameSite = http.NewCrossOriginProtection()

// refuseMethod answers with 405.
func (v visit) refuseMethod() {
	v.w.Header().Set("Allow", "GET, HEAD")
	http.Error(v.w, "method not allowed", http.StatusMethodNotAllowed)
}

// write carries out a form on the page of a pull request, and shows the page again. The form has the fields do (comment, push,
// merge; with a comment's id: reply, close, reopen, apply), author (a login; an unknown one gets an account), comment and body.
func (t *Site) write(v visit) {
	found, number := t.pullOf(v.r)
	if found == nil {
		v.refuseMethod()
		return
	}
	if err := sameSite.Check(v.r); err != nil {
		http.Error(v.w, "the form is of another site", http.StatusForbidden)
		return
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		http.Error(v.w, "the form cannot be read, or is too large", http.StatusBadRequest)
		return
	}
	if err := t.carryOut(v.r, found, number); err != nil {
		m := page.Refused{Head: page.Head{Title: "Nothing was changed"}, Why: reason(err), Back: v.r.URL.EscapedPath()}
		if err := v.render.Page(v.w, http.StatusUnprocessableEntity, "refused", m); err != nil {
			v.log.Error("page", "path", v.r.URL.Path, "error", err)
		}
		return
	}
	http.Redirect(v.w, v.r, v.r.URL.EscapedPath(), http.StatusSeeOther)
}

// pullOf returns the repository and the number of the pull request whose conversation a request names; nil if it names none.
func (t *Site) pullOf(r *http.Request) (*Repository, int) {
	found, rest := t.Open(host.Segments(strings.TrimPrefix(r.URL.Path, t.Brand.Root())))
	rest = slices.DeleteFunc(slices.Clone(rest), func(s string) bool { return s == "" })
	if found == nil || len(rest) != 2 || rest[0] != path.Base(t.Brand.PullWord) {
		return nil, 0
	}
	n, _ := strconv.Atoi(rest[1]) // 0 names nothing
	if found.Pull(n) == nil {
		return nil, 0
	}
	return found, n
}

// carryOut does what a form says.
func (t *Site) carryOut(r *http.Request, on *Repository, number int) error {
	ctx, repo, author := r.Context(), nameOf(on), strings.TrimSpace(r.PostForm.Get("author"))
	if author == "" {
		return errors.New("author: must not be empty")
	}
	comment, _ := strconv.ParseInt(r.PostForm.Get("comment"), 10, 64) // 0 names no comment
	body := strings.ReplaceAll(r.PostForm.Get("body"), "\r\n", "\n")
	var err error
	switch do := r.PostForm.Get("do"); do {
	case "close", "reopen":
		closes := do == "close"
		err = t.People.EditComment(ctx, repo, comment, simapi.EditSpec{Actor: author, Resolve: &closes})
	case "reply":
		_, err = t.People.Reply(ctx, repo, number, simapi.ReplySpec{Comment: comment, Author: author, Body: body})
	case "comment":
		if strings.TrimSpace(body) == "" {
			return errors.New("body: must not be empty")
		}
		_, err = t.People.Comment(ctx, repo, number, simapi.CommentSpec{Author: author, Body: body})
	case "apply":
		_, err = t.People.ApplySuggestion(ctx, repo, number, simapi.SuggestionSpec{Comment: comment, Author: author})
	case "push":
		err = t.push(ctx, on, number, author)
	case "merge":
		if !on.Pull(number).IsOpen() {
			return host.ErrNotOpen
		}
		_, err = t.People.UpdatePull(ctx, repo, number, simapi.PullUpdate{State: "merged", Actor: author})
	default:
		err = errors.New("do: must be comment, push, merge, apply, reply, close or reopen")
	}
	return err
}

// push makes the commit that the sample has prepared for a pull request.
func (t *Site) push(ctx context.Context, on *Repository, number int, author string) error {
	m := on.Pull(number)
	if !m.IsOpen() {
		return host.ErrNotOpen
	}
	fix, found := prepared(ctx, on, m.Pull)
	if !found {
		return errors.New("do: no commit is prepared, because the branch has its changes already")
	}
	fix.Author = author
	_, err := t.People.Commit(ctx, nameOf(on), fix)
	return err
}

// prepared returns the sample's next commit for a pull request, and false if the sample lacks one.
func prepared(ctx context.Context, on *Repository, m page.Pull) (simapi.CommitSpec, bool) {
	at := Repo{Git: on.Git}
	return demo.Fix(nameOf(on), m.Branch, func(path string) string {
		data, _ := at.File(ctx, m.HeadSHA, path) // nothing for a file that is gone
		return string(data)
	})
}

// offer fills what people can do on the page of a pull request.
func (t *Site) offer(c code, m *page.Pull) {
	if !m.IsOpen() {
		return
	}
	if fix, found := prepared(c.r.Context(), c.repository, *m); found {
		m.Prepared = fix.Message
	}
	if err := t.People.Mergeable(nameOf(c.repository), m.Number); err != nil {
		m.Unmet = reason(err)
	}
}

// proposing returns the items of a conversation whose forms propose a login.
func proposing(items []page.Item, login string) []page.Item {
	for i := range items {
		if t := items[i].Thread; t != nil {
			t.As = login
		}
		if r := items[i].Review; r != nil {
			for j := range r.Threads {
				r.Threads[j].As = login
			}
		}
	}
	return items
}

// nameOf returns the full name of a repository.
func nameOf(r *Repository) string { return strings.TrimPrefix(r.About.Path(), "/") }

// reason returns the text of an error without the name of a field before a sentence. A text with "must" keeps the name.
func reason(err error) string {
	field, sentence, found := strings.Cut(err.Error(), ": ")
	if found && !strings.Contains(field, " ") && !strings.HasPrefix(sentence, "must ") {
		return sentence
	}
	return err.Error()
}
