package azuredevops

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// version is an iteration of a pull request with its changed files. It does not change after it was read.
type version struct {
	repository             domain.HostID
	name                   string // of the repository
	number, id             int
	source, target, common string
	changes                []change
	whole                  bool
	read                   time.Time
}

// change is a changed file of an iteration.
type change struct {
	path, oldPath string
	status        string // as in [codehost.ChangedFile]
	tracking      int    // the host's id of the file in the pull request
	before, after string // objects, "" without one
}

// Bounds of the cached versions, and of the reads for one (design choices). Pushes make new iterations, so a cached one stays right;
// it expires because a pull request may be retargeted.
const (
	maxVersions   = 16
	versionsLast  = 2 * time.Minute
	maxIterations = 5000
	maxFiles      = 3000 // as on GitHub
	changesPage   = 2000
)

type iterationRef struct {
	ID     int       `json:"id"`
	Source commitRef `json:"sourceRefCommit"`
	Target commitRef `json:"targetRefCommit"`
	Common commitRef `json:"commonRefCommit"`
}

// iterations lists the iterations of a pull request, oldest first.
func (h *Host) iterations(ctx context.Context, op string, repo codehost.Repo, number int) ([]iterationRef, error) {
	var got answerList[iterationRef]
	if err := h.read(ctx, op, request{path: pullPath(repo, number) + "/iterations"}, &got); err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(got.Value, func(i iterationRef) bool { return i.ID <= 0 || !codehost.IsCommit(i.Source.CommitID) })
	if len(list) == 0 || len(list) > maxIterations {
		return nil, unexpected(op, "the pull request has no iterations, or too many")
	}
	slices.SortFunc(list, func(a, b iterationRef) int { return a.ID - b.ID })
	return list, nil
}

// newest returns the newest iteration of a pull request.
func (h *Host) newest(ctx context.Context, op string, repo codehost.Repo, number int) (*version, error) {
	list, err := h.iterations(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	return h.versionOf(ctx, op, repo, number, list[len(list)-1])
}

// versionAt returns the newest iteration of a pull request with a commit as its head.
func (h *Host) versionAt(ctx context.Context, op string, repo codehost.Repo, number int, commit string) (*version, error) {
	if v := h.cached(repo, number, func(v *version) bool { return v.source == commit }); v != nil {
		return v, nil
	}
	list, err := h.iterations(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Backward(list) {
		if i.Source.CommitID == commit {
			return h.versionOf(ctx, op, repo, number, i)
		}
	}
	return nil, codehost.Refused(op, "the commit was never the head of the pull request")
}

func (h *Host) cached(repo codehost.Repo, number int, fits func(*version) bool) *version {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, v := range h.versions {
		if v.name == repo.FullName() && v.repository == repo.ExternalID && v.number == number && time.Since(v.read) < versionsLast && fits(v) {
			return v
		}
	}
	return nil
}

// versionOf reads the changed files of an iteration against the merge base.
func (h *Host) versionOf(ctx context.Context, op string, repo codehost.Repo, number int, i iterationRef) (*version, error) {
	if v := h.cached(repo, number, func(v *version) bool { return v.id == i.ID && v.source == i.Source.CommitID }); v != nil {
		return v, nil
	}
	v := &version{repository: repo.ExternalID, name: repo.FullName(), number: number, id: i.ID, source: i.Source.CommitID,
		target: i.Target.CommitID, common: i.Common.CommitID, whole: true, read: time.Now()}
	for skip := 0; ; {
		var page struct {
			Entries []changeRef `json:"changeEntries"`
			Next    int         `json:"nextSkip"`
		}
		err := h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Entries: changesPage}, request{
			path:  pullPath(repo, number) + "/iterations/" + strconv.Itoa(i.ID) + "/changes",
			query: url.Values{"$compareTo": {"0"}, "$top": {strconv.Itoa(changesPage)}, "$skip": {strconv.Itoa(skip)}}}, &page)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			if c, is := e.change(); is {
				v.changes = append(v.changes, c)
			}
		}
		if page.Next <= skip {
			break
		}
		if skip = page.Next; len(v.changes) >= maxFiles {
			v.whole = false
			break
		}
	}
	v.changes = v.changes[:min(len(v.changes), maxFiles)]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.versions = slices.Insert(slices.DeleteFunc(h.versions, func(o *version) bool {
		return o.name == v.name && o.repository == v.repository && o.number == v.number && o.id == v.id
	}), 0, v)
	h.versions = h.versions[:min(len(h.versions), maxVersions)]
	return v, nil
}

type changeRef struct {
	Tracking int    `json:"changeTrackingId"`
	Type     string `json:"changeType"` // such as "edit" or "edit, rename"
	Original string `json:"originalPath"`
	Item     struct {
		Path   string `json:"path"`
		After  string `json:"objectId"`
		Before string `json:"originalObjectId"`
		Folder bool   `json:"isFolder"`
		Kind   string `json:"gitObjectType"`
	} `json:"item"`
}

// change converts an entry. It returns false for folders. The host names changes by a list of words (VersionControlChangeType).
func (e changeRef) change() (out change, ok bool) {
	path := e.Item.Path
	if path == "" {
		path = e.Original
	}
	out = change{path: strings.TrimPrefix(path, "/"), tracking: e.Tracking, before: e.Item.Before, after: e.Item.After, status: "modified"}
	for word := range strings.SplitSeq(e.Type, ",") {
		switch strings.TrimSpace(word) {
		case "add", "undelete":
			out.status, out.before = "added", ""
		case "delete":
			out.status, out.after = "removed", ""
		case "rename", "sourceRename", "targetRename":
			out.status = "renamed"
		}
	}
	if out.status == "renamed" {
		out.oldPath = strings.TrimPrefix(e.Original, "/")
	}
	return out, out.path != "" && !e.Item.Folder && e.Item.Kind != "tree"
}

// Files implements [codehost.Reader]. The host's list has neither texts nor numbers of lines.
func (h *Host) Files(ctx context.Context, repo codehost.Repo, number int) (out []codehost.ChangedFile, complete bool, err error) {
	const op = "list changed files"
	if err := checkPull(op, repo, number); err != nil {
		return nil, false, err
	}
	v, err := h.newest(ctx, op, repo, number)
	if err != nil {
		return nil, false, err
	}
	for _, c := range v.changes {
		out = append(out, codehost.ChangedFile{Path: c.path, OldPath: c.oldPath, Status: c.status})
	}
	return out, v.whole, nil
}

// Bounds of a diff that is made of the files of both sides (design choices). Files beyond them are named without their lines.
const (
	maxDiffFiles = 100
	maxDiffBytes = 8 << 20
)

// Diff implements [codehost.Reader]. The host has no diff, so the adapter reads both versions of each file and compares them. Reviews use
// git, which has no such bounds.
func (h *Host) Diff(ctx context.Context, repo codehost.Repo, number int) ([]byte, error) {
	const op = "read diff"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	v, err := h.newest(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	left, patches := maxDiffBytes, make([]diff.Patch, 0, len(v.changes))
	for i, c := range v.changes {
		p := diff.Patch{Path: c.path, OldPath: c.oldPath}
		switch c.status {
		case "added":
			p.Status = diff.Added
		case "removed":
			p.Status = diff.Deleted
		case "renamed":
			p.Status = diff.Renamed
		}
		if i >= maxDiffFiles || left <= 0 {
			p.Omitted = diff.OmittedByHost
		} else if left, err = h.compareFile(ctx, repo, v, c, &p, left); err != nil {
			return nil, err
		}
		patches = append(patches, p)
	}
	raw, err := diff.Format(patches)
	if err == nil && !v.whole {
		raw = append(diff.Lacking(wording.English(wording.NoticeHostLists, len(v.changes))), raw...)
	}
	return raw, err
}

// compareFile fills the text of a changed file, and returns the bytes that are left.
func (h *Host) compareFile(ctx context.Context, repo codehost.Repo, v *version, c change, p *diff.Patch, left int) (int, error) {
	if c.status == "renamed" && c.before == c.after && c.before != "" {
		return left, nil
	}
	var sides [2][]byte
	for i, at := range []struct{ path, commit, absent string }{{v.pathBefore(c), v.common, "added"}, {c.path, v.source, "removed"}} {
		if c.status == at.absent {
			continue
		}
		text, err := h.Content(ctx, repo, at.path, at.commit)
		switch class := codehost.ClassOf(err); {
		case class == codehost.ClassTooLarge || class == codehost.ClassNotFound: // a submodule has no content
			p.Omitted = diff.OmittedByHost
			return left, nil
		case err != nil:
			return left, err
		}
		sides[i], left = text, left-len(text)
	}
	if bytes.IndexByte(sides[0], 0) >= 0 || bytes.IndexByte(sides[1], 0) >= 0 {
		p.Binary = true
		return left, nil
	}
	p.Text = wire.PatchText(&diff.File{Path: c.path, Hunks: diff.Compare(sides[0], sides[1])})
	return left, nil
}

// pathBefore returns a file's path at the merge base.
func (*version) pathBefore(c change) string {
	if c.oldPath != "" {
		return c.oldPath
	}
	return c.path
}

// place computes the place of a comment, and refuses a place that does not exist: the host may accept any place, and shows a thread beside
// nothing. Both ends need offsets (microsoft/azure-devops-mcp#793), and the end's is one past the last character of its line, because an
// applied suggestion replaces exactly that span (microsoft/azure-devops-mcp#1265). Offsets count UTF-16 units; that is not confirmed.
func (h *Host) place(ctx context.Context, op string, repo codehost.Repo, v *version, c codehost.DraftComment) (*placeRef, int, error) {
	i := slices.IndexFunc(v.changes, func(x change) bool { return x.path == c.Path })
	if i < 0 {
		return nil, 0, codehost.Refused(op, "the change has no file %q", c.Path)
	}
	at, path, sha := v.changes[i], c.Path, v.source
	if c.Side == string(domain.Left) {
		path, sha = v.pathBefore(at), v.common
	}
	text, err := h.Content(ctx, repo, path, sha)
	if class := codehost.ClassOf(err); err != nil && class != codehost.ClassNotFound && class != codehost.ClassTooLarge {
		return nil, 0, err
	}
	lines := bytes.Split(text, []byte{'\n'})
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	if c.Line > len(lines) {
		return nil, 0, codehost.Refused(op, "%q has no line %d (%s)", c.Path, c.Line, c.Side)
	}
	first := c.Line
	if c.StartLine > 0 {
		first = c.StartLine
	}
	end := len(utf16.Encode([]rune(string(bytes.TrimSuffix(lines[c.Line-1], []byte{'\r'}))))) + 1
	out := &placeRef{Path: "/" + c.Path}
	if c.Side == string(domain.Left) {
		out.LeftStart, out.LeftEnd = &pointRef{first, 1}, &pointRef{c.Line, end}
	} else {
		out.RightStart, out.RightEnd = &pointRef{first, 1}, &pointRef{c.Line, end}
	}
	return out, at.tracking, nil
}
