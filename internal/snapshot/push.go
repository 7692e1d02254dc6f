package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/regexp"
)

// Push is a commit for one branch of a remote repository.
type Push struct {
	Branch      string // without "refs/heads/"; the caller has checked the name
	Head        string // full id of the commit that the branch must point to, the parent of the new commit
	Message     string
	Name, Email string // of the author and committer
	At          time.Time
	Files       []PushedFile
	// Turn takes the place of [Remote.Turn] for the push itself; nil keeps that.
	Turn func(ctx context.Context, talk func(ctx context.Context) error) error
}

// PushedFile writes or deletes one file. An existing file keeps its mode; a new file is not executable.
type PushedFile struct {
	Path    string
	Content []byte
	Delete  bool
}

// ErrPushLost reports that the remote may have taken a push whose answer was lost. Look at the branch.
var ErrPushLost = errors.New("the answer to a push was lost")

// Push makes a commit on p.Head and pushes it to the branch. The remote refuses it unless the branch points to p.Head then, also if it
// was moved back (git-push manual, --force-with-lease). Push writes nothing into the cache's store: the commit is made in a temporary
// store that borrows the objects. key is that of [Cache.Fetch].
//
// Errors: those of [Cache.Fetch]; kind Conflict if the branch points to another commit, Invalid if a path leads through a file or names
// a folder, link or submodule, NotFound with the code "push_no_file" for a missing file to delete, Forbidden if the remote does not let
// this token move the branch, and [ErrPushLost].
func (c *Cache) Push(ctx context.Context, remote Remote, key string, p Push) (commit string, err error) {
	repo, err := c.Fetch(ctx, remote, key, p.Head)
	if err != nil {
		return "", err
	}
	defer repo.Close()
	tmp, err := os.MkdirTemp("", "assay-push-")
	if err != nil {
		return "", fmt.Errorf("make a temporary folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	lender, err := filepath.Abs(repo.dir)
	if err != nil {
		return "", fmt.Errorf("absolute path of the folder: %w", err)
	}
	dir := filepath.Join(tmp, "push.git")
	if _, err := borrow(ctx, repo.git, dir, "sha1", lender, filepath.Join(lender, "objects")); err != nil {
		return "", err
	}
	commit, err = repo.compose(ctx, dir, p)
	if err != nil {
		return "", err
	}
	talk := func(ctx context.Context) error { return c.send(ctx, repo.git, dir, remote, p, commit) }
	switch {
	case p.Turn != nil:
		err = p.Turn(ctx, talk)
	case remote.Turn != nil:
		err = remote.Turn(ctx, talk)
	default:
		err = talk(ctx)
	}
	if err != nil {
		return "", err
	}
	return commit, nil
}

// compose makes the commit in the store dir, which borrows the objects of r.
func (r *Repo) compose(ctx context.Context, dir string, p Push) (string, error) {
	var in bytes.Buffer
	by := fmt.Sprintf("%s <%s> %d +0000", cleanIdentity(p.Name), cleanIdentity(p.Email), p.At.Unix())
	fmt.Fprintf(&in, "commit refs/assay/push\nauthor %s\ncommitter %s\ndata %d\n%s\nfrom %s\n", by, by, len(p.Message), p.Message,
		p.Head)
	folders := map[string]bool{} // known to be folders, or free
	for _, f := range p.Files {
		mode, err := r.modeToWrite(ctx, p.Head, f, folders)
		switch {
		case err != nil:
			return "", err
		case f.Delete:
			fmt.Fprintf(&in, "D %s\n", quoted(f.Path))
		default:
			fmt.Fprintf(&in, "M %06o inline %s\ndata %d\n", mode, quoted(f.Path), len(f.Content))
			in.Write(f.Content)
			in.WriteByte('\n')
		}
	}
	if _, err := r.git.run(ctx, call{dir: dir, args: []string{"fast-import", "--quiet"}, config: [][2]string{{"fastimport.unpackLimit", "0"}},
		stdin: in.Bytes(), what: "commit"}); err != nil {
		return "", fmt.Errorf("make the commit: %w", err)
	}
	out, err := r.git.run(ctx, call{dir: dir, args: []string{"rev-parse", "--verify", "refs/assay/push"}, what: "commit"})
	if err != nil {
		return "", fmt.Errorf("make the commit: %w", err)
	}
	commit := strings.TrimSpace(string(out))
	return commit, checkSHA(commit)
}

// cleanIdentity removes the characters that end a name or an address in a commit.
func cleanIdentity(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' {
			return -1
		}
		return r
	}, s)
	return cmp.Or(strings.TrimSpace(s), "assay")
}

// modeToWrite returns the mode of a file after its change, and refuses a change that does not fit the files at a commit. folders
// collects the folders that need no other look.
func (r *Repo) modeToWrite(ctx context.Context, sha string, f PushedFile, folders map[string]bool) (uint32, error) {
	if diff.CheckPath(f.Path) != nil {
		return 0, badPath
	}
	now, err := r.Entry(ctx, sha, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Delete:
		return 0, errs.New(errs.NotFound, "push_no_file", "A file to delete is not there.")
	case errors.Is(err, fs.ErrNotExist):
		return 0o100644, r.checkFolders(ctx, sha, f.Path, folders)
	case err != nil:
		return 0, err
	case now.Mode != 0o100644 && now.Mode != 0o100755:
		return 0, errs.New(errs.Invalid, "push_path", "A path names a folder, a link or a submodule.")
	}
	return now.Mode, nil
}

// checkFolders refuses a new file below a path that is not a folder.
func (r *Repo) checkFolders(ctx context.Context, sha, file string, folders map[string]bool) error {
	for dir := path.Dir(file); dir != "." && !folders[dir]; dir = path.Dir(dir) {
		e, err := r.Entry(ctx, sha, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && e.Mode != ModeFolder {
			return errs.New(errs.Invalid, "push_path", "A path leads through a file.")
		}
		folders[dir] = true
		if err == nil {
			return nil
		}
	}
	return nil
}

// send runs the command that moves the branch.
func (c *Cache) send(ctx context.Context, git program, dir string, remote Remote, p Push, commit string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	inner, cancel := context.WithTimeout(ctx, cmp.Or(c.FetchTimeout, defaultFetchTimeout))
	defer cancel()
	config, protocol, hidden := remote.config()
	// curl sends a request again by itself if a connection that it uses again has died (lib/transfer.c, Curl_retry_request), so each
	// request has a connection of its own.
	root, _, _ := strings.Cut(strings.TrimPrefix(remote.URL, protocol+"://"), "/")
	config = append(config, [2]string{"http.version", "HTTP/1.1"},
		[2]string{"http." + protocol + "://" + root + "/.extraHeader", "Connection: close"})
	ref := "refs/heads/" + p.Branch
	out, err := git.run(inner, call{dir: dir, config: config, protocol: protocol, what: "push", args: []string{"push", "--porcelain",
		"--no-progress", "--no-verify", "--recurse-submodules=no", "--force-with-lease=" + ref + ":" + p.Head, "--end-of-options", remote.URL,
		commit + ":" + ref}})
	if err == nil {
		return nil
	}
	return classifyPush(out, err, hidden)
}

// refusedRef matches the line of a reference that was not moved (git-push manual, "OUTPUT"), and its reason.
var refusedRef = regexp.MustCompile(`(?m)^!\t[^\t]*\t\[(rejected|remote rejected)\](?: \((.*)\))?$`)

// moved lists the reasons of a remote for a reference that does not point to the expected commit any more (builtin/receive-pack.c,
// refs/files-backend.c). It pointed there when git looked, so another push came between, or something on the way has sent ours twice.
var moved = []string{"failed to update ref", "incorrect old value provided", "cannot lock ref", "failed to lock",
	"reference already exists", "unable to resolve reference"}

// classifyPush returns the kind of a failed push. A push whose result git does not report is lost, unless git failed before it sent the
// commit.
func classifyPush(out []byte, err error, hidden []string) error {
	g, ok := errors.AsType[*gitError](err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrPushLost, err)
	}
	if found := refusedRef.FindSubmatch(out); found != nil {
		why := string(found[2])
		_ = classify(g, hidden)             // removes the token
		if string(found[1]) == "rejected" { // by git itself, before it sent anything
			return errs.Wrap(g, errs.Conflict, "push_stale", "The branch does not point to the expected commit.")
		}
		if slices.ContainsFunc(moved, func(m string) bool { return strings.Contains(why, m) }) {
			return fmt.Errorf("%w: %w", ErrPushLost, g)
		}
		return errs.Wrap(g, errs.Forbidden, "push_refused", "The host does not let this token move the branch.")
	}
	words := slices.DeleteFunc(strings.Split(g.stderr, "\n"), func(l string) bool { return strings.HasPrefix(l, "remote:") })
	g.stderr = strings.Join(words, "\n") // text of the host itself proves nothing
	e := classify(g, hidden)
	before := !strings.Contains(g.stderr, "RPC failed") &&
		(strings.Contains(g.stderr, "unable to access") || strings.Contains(g.stderr, "fatal: repository '"))
	if errs.Is(e, errs.Forbidden) || errs.Is(e, errs.RateLimited) || before {
		return e
	}
	return fmt.Errorf("%w: %w", ErrPushLost, e)
}
