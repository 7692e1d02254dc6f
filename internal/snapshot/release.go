package snapshot

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// Releaser reads files of the newest release of a repository. Implementations are safe for concurrent use.
type Releaser interface {
	// Released returns the version that [Tags.Newest] chooses for a path, or "", and the file in it. The error is
	// fs.ErrNotExist, with the version, if the release does not have the file.
	Released(ctx context.Context, path string) (version string, content []byte, err error)
}

// Tags maps the name of each tag of a repository to the object that it points to, also for annotated tags.
type Tags map[string]string

// maxTags is the maximum size of a list of tags in bytes, about 100,000 tags (a design choice).
const maxTags = 8 << 20

// versionTag matches a tag of a release: a version of two to four numbers after an optional folder (Go's tags of modules) or word. Versions
// before a release (SemVer's "-rc.1") do not match.
var versionTag = regexp.MustCompile(`^((?:[^/]+/)*)(?:(?:release|rel|version)[-_]?)?v?(\d{1,9}(?:\.\d{1,9}){1,3})$`)

// parseTags reads lines of an object's name, a tab and a reference, as ls-remote writes them.
func parseTags(out []byte) Tags {
	tags := Tags{}
	for line := range strings.Lines(string(out)) {
		sha, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name, is := strings.CutPrefix(ref, "refs/tags/"); is && checkSHA(sha) == nil {
			tags[strings.TrimSuffix(name, "^{}")] = sha // the line of the object follows that of its annotated tag
		}
	}
	return tags
}

// Newest returns the tag with the highest version for a file, and its object, or "" without one. If tags have folders before their
// versions, only those of the folder nearest to the file count.
func (t Tags) Newest(path string) (name, sha string) {
	var best []int
	depth := -1
	for tag := range t {
		m := versionTag.FindStringSubmatch(tag)
		if m == nil {
			continue
		}
		folder := m[1]
		if folder == "release/" || folder == "releases/" {
			folder = ""
		}
		if !strings.HasPrefix(path, folder) || len(folder) < depth {
			continue
		}
		var version []int
		for _, n := range strings.Split(m[2], ".") {
			number, _ := strconv.Atoi(n) // at most nine digits
			version = append(version, number)
		}
		if len(folder) > depth || cmp.Or(slices.Compare(version, best), strings.Compare(name, tag)) > 0 {
			name, sha, best, depth = tag, t[tag], version, len(folder)
		}
	}
	return name, sha
}

// Tags asks a remote for its tags. Errors are those of [Cache.Fetch].
func (c *Cache) Tags(ctx context.Context, remote Remote) (Tags, error) {
	out, err := c.list(ctx, remote, maxTags, "--tags", "--end-of-options", remote.URL)
	return parseTags(out), err
}

// tags returns the tags of the checkout, without those that contain a commit; "" for all.
func (l *Local) tags(ctx context.Context, without string) (Tags, error) {
	args := []string{"for-each-ref", "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)%09%(refname)"}
	if without != "" {
		args = append(args, "--no-contains="+without)
	}
	out, err := l.ask(ctx, call{what: "tags", max: maxTags, args: append(args, "refs/tags")})
	return parseTags(out), err
}

// Released implements [Releaser] with the tags of the checkout that do not contain the head.
func (c *Change) Released(ctx context.Context, path string) (version string, content []byte, err error) {
	if c.local == nil {
		return "", nil, nil
	}
	tags, err := c.local.tags(ctx, c.commit)
	if err != nil {
		return "", nil, err
	}
	version, sha := tags.Newest(path)
	if version == "" {
		return "", nil, nil
	}
	content, err = c.repo.Blob(ctx, sha, path)
	if c.local.own.partial && errors.Is(err, fs.ErrNotExist) {
		err = errs.New(errs.Unavailable, "partial_clone", "The checkout is a partial clone, which may lack the file of the release.")
	}
	return version, content, err
}
