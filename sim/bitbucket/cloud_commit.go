package bitbucket

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// upload is the body of POST …/src: fields, and files by path with their modes.
type upload struct {
	fields url.Values
	files  []gitrepo.TreeChange // SHA holds the text until the blob is written
}

// uploaded reads a form. A field with a file name, or an unknown one, is a file at the path of its name.
func (c *call) uploaded() (up upload, err error) {
	up.fields = url.Values{}
	kind, params, _ := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		form, err := url.ParseQuery(string(c.Body))
		for name, values := range form {
			up.add(name, values[0], "", slices.Contains(metaFields, name))
		}
		return up, err
	}
	r := multipart.NewReader(bytes.NewReader(c.Body), params["boundary"])
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return up, nil
		}
		if err != nil {
			return up, err
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return up, err
		}
		_, about, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		up.add(part.FormName(), string(text), about["x-attributes"], about["filename"] == "" && slices.Contains(metaFields, part.FormName()))
	}
}

// metaFields are the fields that are not files.
var metaFields = []string{"message", "author", "parents", "branch", "files"}

func (u *upload) add(name, text, attributes string, meta bool) {
	if meta {
		u.fields.Add(name, text)
		return
	}
	mode := map[string]string{"executable": "100755", "link": "120000"}[attributes]
	u.files = append(u.files, gitrepo.TreeChange{Path: strings.TrimPrefix(name, "/"), Mode: host.OrElse(mode, "100644"), SHA: text})
}

// deleted lists the paths of "files" without a file of the same name.
func (u *upload) deleted() (out []string) {
	for _, name := range u.fields["files"] {
		name = strings.TrimPrefix(name, "/")
		if !slices.ContainsFunc(u.files, func(f gitrepo.TreeChange) bool { return f.Path == name }) {
			out = append(out, name)
		}
	}
	return out
}

// commitFiles is POST …/src: one commit on a branch, which may be new. A named parent must be the tip of the branch.
func commitFiles(c *call) *reply {
	up, err := c.uploaded()
	if err != nil {
		return invalid("The form cannot be read")
	}
	c.s.Mu.Lock()
	usual := c.repo.DefaultBranch
	c.s.Mu.Unlock()
	branch, parent := host.OrElse(up.fields.Get("branch"), usual), up.fields.Get("parents")
	if !gitrepo.ValidBranch(branch) || strings.Contains(parent, ",") {
		return invalid("branch, parents: Invalid value")
	}
	tip, before := "", gitrepo.ZeroSHA
	if b := c.findBranch(branch); b != nil {
		tip, before = b.SHA, b.SHA
	}
	if parent != "" {
		sha, err := c.repo.git.Resolve(c.Ctx, parent)
		switch {
		case err != nil:
			return noCommit(parent)
		case tip != "" && tip != sha:
			return fail(http.StatusConflict, "The parent is not the tip of the branch "+branch+".")
		}
		tip = sha
	}
	if tip == "" {
		if tip, err = c.repo.git.Resolve(c.Ctx, "heads/"+usual); err != nil {
			return c.broken(err)
		}
	}
	sha, bad := c.commitOn(tip, up)
	if bad != nil {
		return bad
	}
	if bad := c.move(branch, before, sha); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("commit", "create", 0, 0)
	return (&reply{Status: http.StatusCreated}).Set("Location", c.view().repoAPI(c.repo)+"/commit/"+sha)
}

// commitOn writes the commit of an upload on a parent. It moves no branch.
func (c *call) commitOn(parent string, up upload) (string, *reply) {
	var changes []gitrepo.TreeChange
	for _, f := range up.files {
		if !gitrepo.ValidPath(f.Path) {
			return "", invalid("Invalid path: " + f.Path)
		}
		blob, err := c.repo.git.WriteBlob(c.Ctx, []byte(f.SHA))
		if err != nil {
			return "", c.broken(err)
		}
		changes = append(changes, gitrepo.TreeChange{Path: f.Path, Mode: f.Mode, SHA: blob})
	}
	for _, name := range up.deleted() {
		if _, err := c.repo.git.Entry(c.Ctx, parent, name); err != nil {
			return "", invalid("files: no such file: " + name)
		}
		changes = append(changes, gitrepo.TreeChange{Path: name})
	}
	tree, err := c.repo.git.ChangeTree(c.Ctx, parent, changes)
	if err != nil {
		return "", c.broken(err)
	}
	c.s.Mu.Lock()
	by := gitrepo.Identity{Name: c.actor.user.Name, Email: c.actor.user.Email, At: c.s.Now()}
	c.s.Mu.Unlock()
	if name, rest, ok := strings.Cut(up.fields.Get("author"), " <"); ok {
		by.Name, by.Email = name, strings.TrimSuffix(rest, ">")
	}
	message := host.OrElse(up.fields.Get("message"), "Changes made through the interface")
	sha, err := c.repo.git.CommitTree(c.Ctx, tree, []string{parent}, message, by)
	if err != nil {
		return "", c.broken(err)
	}
	return sha, nil
}
