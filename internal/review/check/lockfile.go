package check

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// maxLockFindings bounds the findings about one lock file.
const maxLockFindings = 20

// registries are the hosts of public registries, and of what they serve packages from.
var registries = strings.Fields(`registry.npmjs.org registry.npmjs.com registry.yarnpkg.com npm.jsr.io jsr.io deno.land esm.sh pypi.org
	files.pythonhosted.org pypi.python.org rubygems.org index.rubygems.org crates.io static.crates.io index.crates.io github.com
	codeload.github.com api.github.com raw.githubusercontent.com gitlab.com bitbucket.org repo.packagist.org packagist.org pub.dev
	pub.dartlang.org hex.pm repo.hex.pm api.nuget.org www.nuget.org proxy.golang.org repo.maven.apache.org repo1.maven.org dl.google.com
	maven.google.com plugins.gradle.org jitpack.io conda.anaconda.org repo.anaconda.com cdn.cocoapods.org trunk.cocoapods.org
	cran.r-project.org cloud.r-project.org packagemanager.posit.co hackage.haskell.org metacpan.org cpan.metacpan.org
	registry.terraform.io registry.opentofu.org center.conan.io center2.conan.io charts.bitnami.com bcr.bazel.build buf.build git.sr.ht
	codeberg.org npm.pkg.github.com`)

// lockAddress finds where a line of a lock file says that a package is fetched from. Other
// addresses, such as that of a sponsor, are left out by the word before them.
var (
	lockAddress = regexp.MustCompile(`(?i)(?:git\+)?(?:https?|git|ssh)://[^\s"'<>,)}\]]+|\bgit@[\w.-]+:[\w./~-]+`)
	lockWord    = regexp.MustCompile(`(?i)(resolved|resolution|tarball|registry|source|url|remote|index|git|repo(sitory)?|location|download_url|specifier|href|http|reference)["']?\s*[:=]|\bresolved\b|:git,|^\s*"?https?://`)
	lockDigest  = regexp.MustCompile(`(?i)\b(integrity|checksum|hash|sha(1|256|512)|shasum)\b|#[0-9a-f]{40}`)
	lockGit     = regexp.MustCompile(`(?i)^(git\+|git:|ssh:|git@)`)
)

// lockFile checks the addresses that a change brings into a lock file: package managers
// fetch from there, whatever the manifest says, and reviewers skip such a change.
func lockFile(ctx context.Context, f *diff.File, src Source) (looked, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || !diff.LockName(f.Path) {
		return looked{}, nil
	}
	after, err := head(ctx, src, f.Path)
	if err != nil {
		return looked{}, err
	}
	var before []byte
	if base := f.BasePath(); base != "" && src != nil {
		if before, err = src.Blob(ctx, domain.Left, base); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return looked{}, err
		}
	}
	c := &lockCheck{file: f, base: map[string]bool{}, seen: map[string]bool{}, lines: strings.Split(string(after), "\n")}
	for _, r := range registries {
		c.base[r] = true
	}
	c.learn(string(before))
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Add { // what was there before, where the file itself cannot be read
				c.learn(l.Text)
			}
		}
	}
	c.digests = lockDigest.Match(before) || lockDigest.Match(after)
	for _, h := range f.Hunks {
		if err := ctx.Err(); err != nil {
			return looked{}, err
		}
		c.hunk(h)
	}
	return c.out, nil
}

// lockCheck is the check of one lock file.
type lockCheck struct {
	file    *diff.File
	lines   []string        // at the head
	base    map[string]bool // origins that are known, see originOf
	seen    map[string]bool // what was reported
	digests bool            // some package has one
	out     looked
}

// learn adds the origins of a text to those that are known.
func (c *lockCheck) learn(text string) {
	for line := range strings.Lines(text) {
		for _, a := range c.addresses(line, "") {
			c.base[originOf(a)], c.base[schemeOf(a)] = true, true
		}
	}
}

// addresses are those of a line from which a package is fetched.
func (c *lockCheck) addresses(line, above string) []string {
	base := strings.ToLower(path.Base(c.file.Path))
	switch {
	case (base == "package-lock.json" || base == "npm-shrinkwrap.json") && !strings.Contains(line, `"resolved"`) && !strings.Contains(line, `"version"`):
		return nil
	case base == "composer.lock" && above != "" && !strings.Contains(above, `"type"`):
		return nil // of an author or a sponsor
	case !lockWord.MatchString(line):
		return nil
	}
	return lockAddress.FindAllString(line, -1)
}

// hunk reports what the changed lines of a hunk bring in.
func (c *lockCheck) hunk(h *diff.Hunk) {
	above, at := " ", h.NewStart
	for _, l := range h.Lines {
		switch l.Op {
		case diff.Add:
			for _, a := range c.addresses(l.Text, above) {
				c.address(a, l)
			}
		case diff.Delete:
			if lockDigest.MatchString(l.Text) {
				c.undigested(at-1, "")
			}
		}
		if l.Op != diff.Delete {
			above, at = l.Text+" ", l.New+1
		}
	}
}

// address reports one address.
func (c *lockCheck) address(a string, l diff.Line) {
	origin, host := originOf(a), visible(clip.Runes(hostOf(a), 80, "…"))
	switch {
	case strings.HasPrefix(schemeOf(a), "http:") && !c.base[schemeOf(a)], strings.HasPrefix(schemeOf(a), "git:") && !c.base[schemeOf(a)]:
		c.report("lock-plain", origin, l.New, domain.High, wording.English(wording.TitleLockPlain), wording.English(wording.SayLockPlain, host))
	case lockGit.MatchString(a) && !c.base[origin]:
		repo := visible(clip.Runes(strings.TrimPrefix(origin, "git "), 120, "…"))
		c.report("lock-git", origin, l.New, domain.Medium, wording.English(wording.TitleLockGit), wording.English(wording.SayLockGit, repo))
	case !lockGit.MatchString(a) && !c.base[origin]:
		c.report("lock-source", origin, l.New, domain.Medium, wording.English(wording.TitleLockHost, host), wording.English(wording.SayLockHost, host))
	}
	if !lockGit.MatchString(a) {
		c.undigested(l.New, a)
	}
}

// undigested reports the package around a line of the head that is fetched and has no digest, where
// others have one.
func (c *lockCheck) undigested(line int, address string) {
	if !c.digests || line < 1 || line > len(c.lines) || !digested[strings.ToLower(path.Base(c.file.Path))] {
		return
	}
	first, last := c.block(line)
	at := 0
	for n := first; n <= last; n++ {
		text := c.lines[n-1]
		if lockDigest.MatchString(text) {
			return
		}
		for _, a := range c.addresses(text, "") {
			if !lockGit.MatchString(a) && (address == "" || a == address) && strings.Contains(a, "://") {
				at = n
			}
		}
	}
	if at > 0 {
		c.report("lock-digest", c.lines[at-1], at, domain.Medium, wording.English(wording.TitleLockDigest), wording.English(wording.SayLockDigest))
	}
}

// digested are the lock files that have a digest beside each address.
var digested = map[string]bool{"package-lock.json": true, "npm-shrinkwrap.json": true, "yarn.lock": true, "cargo.lock": true, "pnpm-lock.yaml": true, "uv.lock": true}

// block is the entry of a package around a line: up to a blank line or a brace.
func (c *lockCheck) block(line int) (first, last int) {
	first, last = line, line
	closed := func(n int) bool {
		t := strings.TrimSpace(c.lines[n-1])
		return t == "" || strings.HasSuffix(t, "{") || strings.HasPrefix(t, "}") || strings.HasPrefix(t, "[[")
	}
	for first > 1 && line-first < 30 && !closed(first-1) {
		first--
	}
	for last < len(c.lines) && last-line < 30 && !closed(last+1) {
		last++
	}
	return first, last
}

// report adds a finding, one for each kind and origin.
func (c *lockCheck) report(rule, about string, line int, severity domain.Severity, title, says string) {
	key := rule + " " + about
	if c.seen[key] || len(c.out.seen) >= maxLockFindings {
		return
	}
	c.seen[key] = true
	anchor := place(c.file, line, line)
	if anchor.Level != domain.AnchorLine {
		anchor = firstChange(c.file)
	}
	c.out.seen = append(c.out.seen, sightingOf(domain.Finding{
		Origin: domain.OriginStatic, RuleID: "assay/" + rule, Category: domain.CategorySecurity, Severity: severity, Title: title, Explanation: says, Anchor: anchor,
	}))
}

// hostOf is the host of an address, with its port.
func hostOf(address string) string {
	if rest, is := strings.CutPrefix(address, "git@"); is {
		host, _, _ := strings.Cut(rest, ":")
		return strings.ToLower(host)
	}
	u, err := url.Parse(strings.TrimPrefix(address, "git+"))
	if err != nil || u.Host == "" {
		return address // odd enough to be named as it is
	}
	return strings.ToLower(u.Host)
}

// originOf is what an address is compared by: the host, and of a Git repository its path, too.
func originOf(address string) string {
	host := hostOf(address)
	if !lockGit.MatchString(address) {
		return host
	}
	place := address
	if at := strings.Index(strings.ToLower(address), host); at >= 0 && host != address {
		place = address[at+len(host):]
	}
	place, _, _ = strings.Cut(place, "#")
	place, _, _ = strings.Cut(place, "?")
	return "git " + host + "/" + strings.TrimSuffix(strings.TrimLeft(place, ":/"), ".git")
}

// schemeOf is the scheme of an address with its host.
func schemeOf(address string) string {
	scheme, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(address), "git+"), ":")
	return scheme + ": " + hostOf(address)
}
