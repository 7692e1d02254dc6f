package cases

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/regexp"
)

// pull is a pull request of a public set.
type pull struct {
	owner, name, number string
}

func (p pull) repository() string { return p.owner + "/" + p.name }

func (p pull) id(set string) string {
	return strings.Map(idRune, set+"-"+p.owner+"-"+p.name+"-"+p.number)
}

var pullPath = regexp.MustCompile(`^/([A-Za-z0-9][A-Za-z0-9-]*)/([A-Za-z0-9._-]+)/pull/([0-9]{1,10})/?$`)

// pullOf parses the address of a pull request.
func pullOf(address string) (pull, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host != "github.com" {
		return pull{}, false
	}
	m := pullPath.FindStringSubmatch(u.Path)
	if m == nil || !repositoryName.MatchString(m[1]+"/"+m[2]) {
		return pull{}, false
	}
	return pull{m[1], m[2], m[3]}, true
}

// jsonFiles lists the JSON files of the first existing folder.
func jsonFiles(root *os.Root, set string, dirs ...string) ([]string, error) {
	for _, dir := range dirs {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
			continue
		}
		list, err := names(root, dir, maxCases)
		if err != nil {
			return nil, err
		}
		var out []string
		for _, e := range list {
			if strings.HasSuffix(e.Name(), ".json") {
				out = append(out, path.Join(dir, e.Name()))
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, fmt.Errorf("the folder must be a copy of %s, with JSON files in %s", set, strings.Join(dirs, " or "))
}

// eachFile reads the JSON files of a published set as values of T, and joins their entries. Errors name the
// file.
func eachFile[T any](ctx context.Context, dir, of string, dirs []string, entries func(T) ([]entry, error)) ([]entry, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files, err := jsonFiles(root, of, dirs...)
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw, err := readRegular(root, name, maxSet)
		if err != nil {
			return nil, err
		}
		var value T
		made, err := []entry(nil), decodeLenient(raw, &value)
		if err == nil {
			made, err = entries(value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quotedName(name), err)
		}
		out = append(out, made...)
	}
	return out, nil
}

// kindOf returns the kind of a pull request whose findings people have judged.
func kindOf(golden []eval.Golden) eval.Kind {
	for _, g := range golden {
		if !g.False {
			return eval.Defect
		}
	}
	return eval.Clean
}
