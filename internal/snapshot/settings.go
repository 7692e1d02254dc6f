package snapshot

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// harmlessSettings are the person's settings that change the comparison and start no program (git-config manual).
var harmlessSettings = []string{"core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode",
	"core.checkroundtripencoding",
	"core.trustctime", "core.checkstat", "core.sparsecheckout", "sparse.expectfilesoutsideofpatterns"}

// ownSettings are the settings of the person's configuration that apply.
type ownSettings struct {
	compare    [][2]string // see harmless
	excludes   string      // file, "" without one
	untracked  bool        // new files count
	partial    bool        // objects may be missing on purpose
	filters    map[string]bool
	remotes    []string
	attributes string
	noSystem   bool // the system's attributes are ignored
}

// configuration reads the person's configuration. The command starts no program.
func (o LocalOptions) configuration(ctx context.Context, git program, at places) (ownSettings, error) {
	s := ownSettings{untracked: true, filters: map[string]bool{},
		noSystem: o.Environ == nil || o.variable("GIT_ATTR_NOSYSTEM") != "" && o.variable("GIT_ATTR_NOSYSTEM") != "0"}
	read := func(each func(key, value string), args ...string) error {
		args = append([]string{"--git-dir=" + at.git, "config", "--null", "--includes"}, args...)
		out, err := git.run(ctx, call{personal: o.person(), args: args, what: "settings", brief: true})
		if failed, is := errors.AsType[*gitError](err); is && failed.code != 1 { // 1: no such settings
			why, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(failed.stderr), "fatal: "), "\n")
			return errs.Wrap(err, errs.Invalid, "bad_settings", "git cannot read its configuration: %s.", why)
		} else if err != nil && !is {
			return err
		}
		for record := range bytes.SplitSeq(out, []byte{0}) {
			key, value, has := strings.Cut(string(record), "\n")
			if key == "" {
				continue
			}
			if !has {
				value = "true"
			}
			each(key, value)
		}
		return nil
	}
	err := read(func(key, value string) {
		switch {
		case slices.Contains(harmlessSettings, key):
			s.compare = append(s.compare, [2]string{key, value})
		case key == "status.showuntrackedfiles":
			s.untracked = value != "no" && value != "false"
		case key == "extensions.partialclone", strings.HasSuffix(key, ".promisor") && value != "false":
			s.partial = true
		case strings.HasPrefix(key, "filter."):
			if value != "" {
				s.filters[key[len("filter."):strings.LastIndexByte(key, '.')]] = true
			}
		case strings.HasPrefix(key, "remote."):
			if name := key[len("remote."):strings.LastIndexByte(key, '.')]; !slices.Contains(s.remotes, name) && len(s.remotes) < maxRemotes {
				s.remotes = append(s.remotes, name)
			}
		}
	}, "--get-regexp", `^(core\.|sparse\.expectfilesoutsideofpatterns$|status\.showuntrackedfiles$|extensions\.partialclone$|`+
		`remote\..*\.(url|promisor)$|filter\..*\.(clean|process)$)`)
	if err != nil {
		return s, err
	}
	if s.excludes, s.attributes = "", ""; o.Environ != nil {
		folder := o.variable("XDG_CONFIG_HOME")
		if home := o.variable("HOME"); folder == "" && home != "" {
			folder = filepath.Join(home, ".config")
		}
		if folder != "" {
			s.excludes, s.attributes = filepath.Join(folder, "git", "ignore"), filepath.Join(folder, "git", "attributes")
		}
	}
	err = read(func(key, value string) {
		if value != "" && !filepath.IsAbs(value) {
			value = filepath.Join(at.root, value)
		}
		if key == "core.excludesfile" {
			s.excludes = value
		} else {
			s.attributes = value
		}
	}, "--type=path", "--get-regexp", `^core\.(excludesfile|attributesfile)$`)
	s.compare = append(s.compare, [2]string{"core.safecrlf", "false"})
	if s.attributes != "" {
		if err := checkRegular(s.attributes, maxGitText); err != nil {
			return s, err
		}
		s.compare = append(s.compare, [2]string{"core.attributesFile", s.attributes})
	}
	return s, err
}

// maxRemotes bounds the remotes whose branches are looked for (a design choice).
const maxRemotes = 20
