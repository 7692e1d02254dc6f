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
	"github.com/assay-dev/assay/sim/host/simapi"
)

// People writes in threads as a person of a simulated host.
type People interface {
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

// write carries out the form of a thread on the page of a pull request, and shows the page again. The form has the fields comment
// (the id of the thread's first comment), author (a login; an unknown one gets an account), do (reply, close, reopen) and body.
func (t *Site) write(v visit) {
	repo, number := t.pullOf(v.r)
	if repo == "" {
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
	if err := t.carryOut(v.r, repo, number); err != nil {
		http.Error(v.w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	http.Redirect(v.w, v.r, v.r.URL.EscapedPath(), http.StatusSeeOther)
}

// pullOf returns the repository and the number of the pull request whose conversation a request names; "" if it names none.
func (t *Site) pullOf(r *http.Request) (repo string, number int) {
	found, rest := t.Open(r.Context(), host.Segments(strings.TrimPrefix(r.URL.Path, t.Brand.Root())))
	rest = slices.DeleteFunc(slices.Clone(rest), func(s string) bool { return s == "" })
	if found == nil || len(rest) != 2 || rest[0] != path.Base(t.Brand.PullWord) {
		return "", 0
	}
	n, _ := strconv.Atoi(rest[1]) // 0 names nothing
	if found.Pull(n) == nil {
		return "", 0
	}
	return strings.TrimPrefix(found.About().Path(), "/"), n
}

// carryOut writes what a form says.
func (t *Site) carryOut(r *http.Request, repo string, number int) error {
	comment, _ := strconv.ParseInt(r.PostForm.Get("comment"), 10, 64) // 0 names no comment
	author, closes := strings.TrimSpace(r.PostForm.Get("author")), r.PostForm.Get("do") == "close"
	if author == "" {
		return errors.New("author: must not be empty")
	}
	if closes || r.PostForm.Get("do") == "reopen" {
		return t.People.EditComment(r.Context(), repo, comment, simapi.EditSpec{Actor: author, Resolve: &closes})
	}
	_, err := t.People.Reply(r.Context(), repo, number, simapi.ReplySpec{Comment: comment, Author: author,
		Body: strings.ReplaceAll(r.PostForm.Get("body"), "\r\n", "\n")})
	return err
}
