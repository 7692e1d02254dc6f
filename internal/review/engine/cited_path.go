package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// maxCitedPath is the longest path that is looked at, in bytes.
const maxCitedPath = 4096

var (
	// linesBehind are lines behind a path: ":12", ":12:5", ":12-14", "#L12", "#L12-L20",
	// "(line 3)", "(lines 3-5)", ", line 3".
	linesBehind = regexp.MustCompile(`(?i)(?:[:@]L?(\d+)(?:[-–:]L?(\d+))?(?:-\d+)?:?` +
		`|#L?(\d+)(?:C\d+)?(?:[-–]L?(\d+)(?:C\d+)?)?` +
		`|[,:]?\s*[(\[]?\s*(?:at |on )?lines?:?\s*(\d+)(?:\s*(?:[-–]|to)\s*(\d+))?\s*[)\]]?` +
		`|\s*\((\d+)(?:\s*[-–,]\s*(\d+))?\))$`)
	noteBehind = regexp.MustCompile(`(?i)\s*[(\[](?:new|old|added|modified|deleted|removed|renamed|changed|new file|file)[)\]]$`)
	headBefore = regexp.MustCompile(`(?i)^(?:(?:===|---|\+\+\+|file(?:name)?:|path:)\s*)+`)
	markup     = regexp.MustCompile(`^\[([^\]]+)\]\([^)]*\)$`)
	drive      = regexp.MustCompile(`^[A-Za-z]:/`)
)

// citedPath is a path as a model writes it, taken apart.
type citedPath struct {
	path        string
	first, last int  // the lines behind it; 0 without lines
	absolute    bool // it begins outside the repository
}

// pathReadings returns the ways to read a path, the nearest to its letters first. It returns nil if the path is longer than
// maxCitedPath.
func pathReadings(said string) []citedPath {
	if len(said) > maxCitedPath {
		return nil
	}
	c := citedPath{path: strings.TrimSpace(change.StripInvisible(said))}
	out := []citedPath{{path: said}, c}
	steps := []func(citedPath) citedPath{citedPath.withoutMarkup, citedPath.withoutLines, citedPath.withoutScheme, citedPath.unescaped}
	for _, step := range steps {
		c = step(c)
		if c.path != "" && c != out[len(out)-1] {
			out = append(out, c)
		}
	}
	return append(out, c.inRepository())
}

// withoutMarkup removes headings, links, quotes and notes around a path, and the old path of a renamed file.
func (c citedPath) withoutMarkup() citedPath {
	c.path = headBefore.ReplaceAllString(trimMarks(c.path), "")
	if m := markup.FindStringSubmatch(c.path); m != nil {
		c.path = m[1]
	}
	c.path = strings.TrimSpace(noteBehind.ReplaceAllString(trimMarks(c.path), ""))
	for _, arrow := range []string{" => ", " -> ", " → "} { // a renamed file
		if i := strings.LastIndex(c.path, arrow); i >= 0 {
			c.path = c.path[i+len(arrow):]
		}
	}
	return c
}

// withoutLines moves the lines behind a path to first and last.
func (c citedPath) withoutLines() citedPath {
	m := linesBehind.FindStringSubmatchIndex(c.path)
	if m == nil || m[0] == 0 {
		return c
	}
	var lines []int
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			n, _ := strconv.Atoi(c.path[m[i]:m[i+1]])
			lines = append(lines, n)
		}
	}
	c.first, c.last = lines[0], lines[len(lines)-1]
	if c.last < c.first { // a column
		c.last = c.first
	}
	c.path = trimMarks(c.path[:m[0]])
	return c
}

// withoutScheme decodes a JSON pointer and removes the scheme of a URL.
func (c citedPath) withoutScheme() citedPath {
	if rest, ok := strings.CutPrefix(c.path, "#/"); ok { // a JSON pointer
		c.path = strings.NewReplacer("~1", "/", "~0", "~").Replace(rest)
	} else if strings.Contains(c.path, "~1") {
		c.path = strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(c.path, "/"))
	}
	if i := strings.Index(c.path, "://"); i > 0 && !strings.ContainsAny(c.path[:i], "/.") {
		c.path, c.absolute = c.path[i+len("://"):], true
		if rest, ok := strings.CutPrefix(c.path, "localhost/"); ok {
			c.path = rest
		}
	} else if rest, ok := strings.CutPrefix(c.path, "file:"); ok {
		c.path, c.absolute = rest, true
	}
	return c
}

// unescaped decodes the percent escapes of a path.
func (c citedPath) unescaped() citedPath {
	if plain, err := url.PathUnescape(c.path); err == nil {
		c.path = plain
	}
	return c
}

// inRepository cleans a path and removes the part that leads out of the repository.
func (c citedPath) inRepository() citedPath {
	c.path = strings.ReplaceAll(c.path, `\`, "/")
	c.absolute = c.absolute || strings.ContainsAny(c.path[:min(1, len(c.path))], "/~$") || drive.MatchString(c.path)
	c.path = strings.TrimLeft(path.Clean(c.path), "/")
	for strings.HasPrefix(c.path, "../") {
		c.path = strings.TrimPrefix(c.path, "../")
	}
	return c
}

// trimMarks removes the marks around a path.
func trimMarks(s string) string { return strings.Trim(strings.TrimSpace(s), "`'\"“”‘’<>*, ") }

// resolvePath finds the file of the change that a model means. Exact letters come first. elsewhere reports that the
// repository has such a file, but the change does not.
func resolvePath(ctx context.Context, said string, set *diff.Set, src change.Source) (c citedPath, found, elsewhere bool) {
	all := pathReadings(said)
	for _, c := range all {
		if set.File(c.path) != nil {
			return c, true, false
		}
	}
	if len(all) == 0 {
		return citedPath{}, false, false
	}
	if strings.Contains(said, `\`) { // as its prompt showed it
		for _, f := range set.Files {
			if change.CleanPath(f.Path) == said {
				return citedPath{path: f.Path}, true, false
			}
		}
	}
	last := all[len(all)-1]
	for p := last.path; ; {
		if p = strings.TrimPrefix(p, "./"); set.File(p) != nil {
			last.path = p
			return last, true, false
		}
		short, ok := strings.CutPrefix(p, "b/")
		if !ok {
			if short, ok = strings.CutPrefix(p, "a/"); !ok {
				break
			}
		}
		p = short
	}
	tried := ""
	for _, c := range all {
		if c.path != tried && exists(ctx, c.path, src) {
			return c, false, true
		}
		tried = c.path
	}
	if p := cmp.Or(meantPath(last, set), pathWithin(said, set)); p != "" {
		last.path = p
		return last, true, false
	}
	return last, false, false
}

// exists reports whether a version of the repository has a file.
func exists(ctx context.Context, p string, src change.Source) bool {
	if diff.CheckPath(p) != nil || src == nil {
		return false
	}
	for _, side := range []domain.Side{domain.Right, domain.Left} {
		if _, err := src.Blob(ctx, side, p); err == nil {
			return true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return false
}

// pathWithin returns the only path of the change that a text contains, and "" for none or several.
func pathWithin(said string, set *diff.Set) (found string) {
	part := func(r byte) bool {
		return r == '_' || r == '-' || r == '/' || r >= '0' && r <= '9' || ask.Letter(rune(r)) > 0 || r >= utf8.RuneSelf
	}
	said = strings.ReplaceAll(said, `\`, "/")
	for _, f := range set.Files {
		i := strings.Index(said, f.Path)
		if end := i + len(f.Path); i < 0 || i > 0 && (part(said[i-1]) || said[i-1] == '.') || end < len(said) && part(said[end]) {
			continue
		}
		if found != "" && found != f.Path {
			return ""
		}
		found = f.Path
	}
	return found
}

// meantPath returns the only file of the change whose path ends with the given one, or whose path is the end
// of it, as with an absolute path. Letters must have the same case, and if no file fits, any case counts. It
// returns "" for none or several.
func meantPath(c citedPath, set *diff.Set) string {
	for _, fold := range []func(string) string{func(s string) string { return s }, strings.ToLower} {
		said, longest, longer := "/"+fold(c.path), "", map[string]bool{}
		for _, f := range set.Files {
			p := "/" + fold(f.Path)
			switch {
			case strings.HasSuffix(p, said):
				longer[f.Path] = true
			case strings.HasSuffix(said, p) && (c.absolute || strings.Contains(f.Path, "/")) && len(f.Path) > len(longest):
				longest = f.Path
			}
		}
		if len(longer) > 1 {
			return ""
		}
		for p := range longer {
			return p
		}
		if longest != "" {
			return longest
		}
	}
	return ""
}
