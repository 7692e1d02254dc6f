package local

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/snapshot"
)

// mainRemote returns the remote for advice: origin, if it exists.
func mainRemote(l *snapshot.Local) string {
	if len(l.Remotes) == 0 || slices.Contains(l.Remotes, "origin") {
		return "origin"
	}
	return l.Remotes[0]
}

// fetchCommand returns the command that fetches a branch of a remote, and in a shallow clone the missing history between it
// and HEAD. It names the checked-out branch for that history, or else the commit itself, which may be on no branch (the
// merge of a pull request). HEAD as a branch is the default branch of the remote.
func fetchCommand(ctx context.Context, l *snapshot.Local, remote, branch string) string {
	from, into := mainRemote(l), ""
	if branch == "HEAD" {
		branch = cmp.Or(l.DefaultBranch(ctx, remote), "HEAD")
	}
	switch branch {
	case "":
	case "HEAD": // the clone does not record which branch it is
		into = fmt.Sprintf(" +HEAD:refs/remotes/%s/HEAD", remote)
	default:
		into = fmt.Sprintf(" +refs/heads/%s:refs/remotes/%s/%s", branch, remote, branch)
	}
	switch {
	case !l.Shallow:
		return "git fetch " + remote + into
	case !isDetached(ctx, l) && into == "":
		return "git fetch --unshallow " + from
	case !isDetached(ctx, l):
		return "git fetch --unshallow " + from + " && git fetch " + remote + into
	}
	head, err := l.Commit(ctx, "HEAD")
	if err != nil {
		head = "HEAD"
	}
	if into != "" && remote != from {
		return "git fetch --unshallow " + from + " " + head + " && git fetch " + remote + into
	}
	return "git fetch --unshallow " + from + " " + head + into
}

var (
	branchName = regexp.MustCompile(`^[A-Za-z][\w./-]{0,200}$`)
	commitName = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	tagName    = regexp.MustCompile(`^v?\d+(?:\.\d+)*`)
)

// remoteBranch returns the remote and the branch that a revision names, as git reads it: origin/main,
// remotes/origin/main, origin for its default branch, also with a step behind it (origin/main~2). It
// returns "" twice for other revisions.
func remoteBranch(l *snapshot.Local, rev string) (remote, branch string) {
	rev, _ = splitSteps(strings.TrimPrefix(strings.TrimPrefix(rev, "refs/"), "remotes/"))
	for _, r := range remotesOf(l) {
		if rev == r {
			return r, "HEAD"
		}
		if b, is := strings.CutPrefix(rev, r+"/"); is && branchName.MatchString(b) && len(r) > len(remote) {
			remote, branch = r, b
		}
	}
	return remote, branch
}

// splitSteps separates a revision from the steps behind it, such as ~2 or ^.
func splitSteps(rev string) (name, behind string) {
	if i := strings.IndexAny(rev, "~^@"); i > 0 {
		return rev[:i], rev[i:]
	}
	return rev, ""
}

// fetchHint returns how to get a missing revision, "" if that is not known.
func fetchHint(ctx context.Context, l *snapshot.Local, rev string) string {
	from := mainRemote(l)
	if len(l.Remotes) == 0 {
		return ""
	}
	if remote, branch := remoteBranch(l, rev); remote != "" && slices.Contains(l.Remotes, remote) {
		return " with `" + fetchCommand(ctx, l, remote, branch) + "`"
	}
	name, behind := splitSteps(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rev, "refs/"), "heads/"), "tags/"))
	tag := strings.HasPrefix(rev, "refs/tags/") || strings.HasPrefix(rev, "tags/")
	switch {
	case tag, tagName.MatchString(name) && !commitName.MatchString(name):
		return " with `" + strings.Replace(fetchCommand(ctx, l, from, ""), "git fetch", "git fetch --tags", 1) + "`"
	case commitName.MatchString(name), name == "HEAD", !branchName.MatchString(name):
		if l.Shallow {
			return " with `" + fetchCommand(ctx, l, from, "") + "`, because this clone is shallow"
		}
		return ""
	}
	return " with `" + fetchCommand(ctx, l, from, name) + "` and write " + from + "/" + name + behind
}
