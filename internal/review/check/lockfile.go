package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of one lock file (design choices): findings that are reported, and places from which these are chosen.
const (
	maxLockFindings = 20
	maxLockPlaces   = 2000
)

// registries are the hosts of public registries and of their package downloads.
var registries = strings.Fields(`registry.npmjs.org registry.npmjs.com registry.yarnpkg.com npm.jsr.io jsr.io deno.land esm.sh pypi.org
	files.pythonhosted.org pypi.python.org rubygems.org index.rubygems.org crates.io static.crates.io index.crates.io github.com
	codeload.github.com api.github.com raw.githubusercontent.com gitlab.com bitbucket.org repo.packagist.org packagist.org pub.dev
	pub.dartlang.org hex.pm repo.hex.pm api.nuget.org www.nuget.org proxy.golang.org repo.maven.apache.org repo1.maven.org dl.google.com
	maven.google.com plugins.gradle.org jitpack.io conda.anaconda.org repo.anaconda.com cdn.cocoapods.org trunk.cocoapods.org
	cran.r-project.org cloud.r-project.org packagemanager.posit.co hackage.haskell.org metacpan.org cpan.metacpan.org
	registry.terraform.io registry.opentofu.org center.conan.io center2.conan.io charts.bitnami.com bcr.bazel.build buf.build git.sr.ht
	codeberg.org npm.pkg.github.com channels.nixos.org releases.nixos.org cache.nixos.org`)

// lockAddress matches addresses in a line of a lock file. The word before an address excludes those that
// are not fetched, such as a sponsor's.
var (
	lockAddress = regexp.MustCompile(`(?i)(?:[a-z][a-z0-9]*\+)?(?:https?|git|ssh|ftps?|svn|hkps?|oci|s3|gs)://[^\s"'<>,)}\]|]+|` +
		`\b(?:git|org-\d+|[a-z][\w-]*)@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}:[\w./~-]+`)
	lockWord = regexp.MustCompile(`(?i)(resolved|resolution|tarball|registry|source|url|remote|index|git|repo(sitory)?|` +
		`location|specifier|version|http)["']?\s*[:=]`)
	lockDigest = regexp.MustCompile(`(?i)\b(integrity|checksum|hash|sha(1|256|512)|shasum)\b|#[0-9a-f]{40}`)
	lockGit    = regexp.MustCompile(`(?i)^(git\+|hg\+|svn\+|git:|ssh:|svn:|[\w-]+@)`)
)

// lockFile checks the addresses that a change brings into a lock file. Package managers fetch from there
// regardless of the manifest, and reviewers skip such a change.
func lockFile(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || !diff.LockName(f.Path) {
		return checkResult{}, nil
	}
	after, err := head(ctx, src, f.Path)
	if err != nil {
		return checkResult{}, err
	}
	var before []byte
	if base := f.BasePath(); base != "" && src != nil {
		if before, err = src.Blob(ctx, domain.Left, base); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return checkResult{}, err
		}
	}
	c := &lockCheck{file: f, base: map[string]bool{}, seen: map[string]bool{}, lines: strings.Split(string(after), "\n")}
	for _, r := range slices.Concat(registries, strings.Fields(moduleHosts)) {
		c.base[r] = true
	}
	for o := range knownOwners {
		c.base[o] = true
	}
	c.before = string(before)
	c.addOrigins(c.before)
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Add { // the lines before the change, if the file itself cannot be read
				c.addOrigins(l.Text)
			}
		}
	}
	c.digests = lockDigest.Match(before) || lockDigest.Match(after)
	for _, h := range f.Hunks {
		if err := ctx.Err(); err != nil {
			return checkResult{}, err
		}
		c.hunk(h)
	}
	if len(before) > 0 {
		c.entries()
	}
	return c.mostSevere(), nil
}

// lockCheck is the check of one lock file.
type lockCheck struct {
	file    *diff.File
	lines   []string        // at the head
	base    map[string]bool // known origins, see originOf
	seen    map[string]bool // already reported
	before  string          // the file at the base, "" if it could not be read
	digests bool            // at least one package has a digest
	out     checkResult
}

// addOrigins adds the origins of a text to the known ones.
func (c *lockCheck) addOrigins(text string) {
	for line := range strings.Lines(text) {
		for _, a := range c.addresses(line, "") {
			c.base[originOf(a)], c.base[schemeOf(a)] = true, true
		}
		for _, o := range owners(c.name(), line) {
			c.base[o] = true
		}
	}
}

// name returns the name of the file in lower case.
func (c *lockCheck) name() string { return strings.ToLower(path.Base(c.file.Path)) }

// addresses returns the addresses in a line from which a package is fetched.
func (c *lockCheck) addresses(line, above string) []string {
	if !strings.Contains(line, "://") && !strings.Contains(line, "@") && !strings.Contains(line, "%2") && !strings.Contains(line, `:\/`) {
		return nil
	}
	whole := len(line) <= maxOwnerLine
	switch base := c.name(); {
	case (base == "package-lock.json" || base == "npm-shrinkwrap.json") && !strings.Contains(line, `"resolved"`) &&
		!strings.Contains(line, `"version"`):
		return nil
	case base == "composer.lock" && above != "" && whole && !strings.Contains(above, `"type"`):
		return nil // the address of an author or a sponsor
	case whole && (lockAside.MatchString(line) || strings.HasPrefix(base, "pnpm-lock.") && !lockWord.MatchString(line)):
		return nil
	}
	return lockAddresses(line)
}

// hunk reports new origins and missing digests in the changed lines of a hunk.
func (c *lockCheck) hunk(h *diff.Hunk) {
	above, at := " ", h.NewStart
	for _, l := range h.Lines {
		switch l.Op {
		case diff.Add:
			for _, a := range c.addresses(l.Text, above) {
				c.address(a, l)
			}
			for _, o := range owners(c.name(), l.Text) {
				c.origin(o, strings.TrimPrefix(o, "git "), l)
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
	default:
		name := host
		if origin != hostOf(a) {
			name = strings.TrimPrefix(origin, "git ")
		}
		c.origin(origin, name, l)
	}
	if !lockGit.MatchString(a) {
		c.undigested(l.New, a)
	}
}

// origin reports an origin of packages unless it is known.
func (c *lockCheck) origin(origin, name string, l diff.Line) {
	name = visible(clip.Runes(name, 120, "…"))
	switch {
	case c.base[origin] || c.name() == "composer.lock" && c.newPackage(l.New):
	case strings.HasPrefix(origin, "git "):
		c.report("lock-git", origin, l.New, domain.Medium, wording.English(wording.TitleLockGit), wording.English(wording.SayLockGit, name))
	default:
		c.report("lock-source", origin, l.New, domain.Medium, wording.English(wording.TitleLockHost, clip.Runes(name, 80, "…")),
			wording.English(wording.SayLockHost, name))
	}
}

// newPackage reports whether a line of composer.lock belongs to a package that is new and fetched from a
// forge. Packagist names a repository for each package, so such an origin is expected.
func (c *lockCheck) newPackage(line int) bool {
	if line < 1 || line > len(c.lines) || c.before == "" || !forgeAddress.MatchString(c.lines[line-1]) {
		return false
	}
	for n := line; n > 0 && line-n < 100; n-- {
		if text := strings.TrimSpace(c.lines[n-1]); composerName.MatchString(text) {
			return !strings.Contains(c.before, strings.TrimSuffix(text, ","))
		}
	}
	return false
}

var (
	composerName = regexp.MustCompile(`^"name": "[^"/ ]+/[^"]+",?$`)
	forgeAddress = regexp.MustCompile(`://(api\.|codeload\.)?(github\.com|gitlab\.com|bitbucket\.org)/`)
)

// undigested reports the package around a line of the head if it is fetched without a digest while other
// packages have one.
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
		if c.toml() && lockDependency.MatchString(text) { // not an entry of its own
			continue
		}
		for _, a := range c.addresses(text, "") {
			if !lockGit.MatchString(a) && (address == "" || a == address) && strings.Contains(a, "://") {
				at = n
			}
		}
	}
	if at > 0 {
		c.report("lock-digest", c.lines[at-1], at, domain.Medium, wording.English(wording.TitleLockDigest),
			wording.English(wording.SayLockDigest))
	}
}

// digested are the lock files that have a digest beside each address.
var digested = map[string]bool{"package-lock.json": true, "npm-shrinkwrap.json": true, "yarn.lock": true, "cargo.lock": true,
	"pnpm-lock.yaml": true, "uv.lock": true}

// lockDependency matches a line in a package's list of dependencies.
var lockDependency = regexp.MustCompile(`^\s*("|\{\s*name\s*=|(\w+\s*=\s*\[\s*\{\s*name\s*=))`)

// toml reports whether the entries of the lock file begin with a line "[[package]]".
func (c *lockCheck) toml() bool { return entryKeys[c.name()] == tomlEntry }

// maxEntry bounds the lines of the entry of a package.
const maxEntry = 2000

// block returns the entry of a package around a line: up to a blank line or a brace, or in TOML up to the
// next entry.
func (c *lockCheck) block(line int) (first, last int) {
	first, last = line, line
	most := 30
	closed := func(n int) bool {
		t := strings.TrimSpace(c.lines[n-1])
		if c.toml() {
			return strings.HasPrefix(t, "[[")
		}
		return t == "" || strings.HasSuffix(t, "{") || strings.HasPrefix(t, "}") || strings.HasPrefix(t, "[[")
	}
	if c.toml() {
		most = maxEntry
	}
	for first > 1 && line-first < most && !closed(first-1) {
		first--
	}
	for last < len(c.lines) && last-line < most && !closed(last+1) {
		last++
	}
	return first, last
}

// mostSevere returns the most severe findings in the order in which they were found, and names the file if there are more.
func (c *lockCheck) mostSevere() checkResult {
	out := c.out
	if len(out.seen) > maxLockFindings {
		slices.SortStableFunc(out.seen, func(a, b sighting) int { return cmp.Compare(b.severity, a.severity) })
		out.seen, out.unread = out.seen[:maxLockFindings], WhyCut
	}
	return out
}

// report adds a finding, one for each kind and origin.
func (c *lockCheck) report(rule, about string, line int, severity domain.Severity, title, says string) {
	key := rule + " " + about
	if c.seen[key] || len(c.out.seen) >= maxLockPlaces {
		return
	}
	c.seen[key] = true
	anchor := Place(c.file, line, line)
	if anchor.Level != domain.AnchorLine {
		anchor = firstChange(c.file)
	}
	c.out.seen = append(c.out.seen, sightingOf(domain.Finding{
		Origin: domain.OriginStatic, RuleID: "assay/" + rule, Category: domain.CategorySecurity, Severity: severity, Title: title,
		Explanation: says, Anchor: anchor, Subject: about,
	}))
}

// hostOf returns the host of an address, with its port.
func hostOf(address string) string {
	if _, rest, is := strings.Cut(address, "@"); is && !strings.Contains(address, "://") {
		host, _, _ := strings.Cut(rest, ":")
		return strings.ToLower(host)
	}
	u, err := url.Parse(plainScheme(strings.TrimRight(address, ":")))
	if err != nil || u.Host == "" {
		return address // too unusual to parse, so it is shown as it is
	}
	return strings.ToLower(u.Host)
}

// plainScheme removes a package manager's prefix from the scheme of an address, as in git+https.
func plainScheme(address string) string {
	scheme, rest, is := strings.Cut(address, "://")
	if !is {
		return address
	}
	return scheme[strings.LastIndexByte(scheme, '+')+1:] + "://" + rest
}

// originOf returns the key by which addresses are compared: the host, for a Git repository also its path,
// and for a host where anyone publishes also the first name of the path.
func originOf(address string) string {
	host := hostOf(address)
	place := address
	if at := strings.Index(strings.ToLower(address), host); at >= 0 && host != address {
		place = address[at+len(host):]
	}
	place, _, _ = strings.Cut(place, "#")
	place, _, _ = strings.Cut(place, "?")
	parts := strings.Split(strings.ToLower(strings.Trim(place, ":/")), "/")
	forge := forges[host]
	switch {
	case host == "api.github.com" && len(parts) > 2 && parts[0] == "repos":
		parts = parts[1:]
		fallthrough
	case forge != "" && forge != "gitlab.com" && len(parts) > 1:
		parts = parts[:2]
	case forge != "":
		if at := slices.Index(parts, "-"); at > 0 {
			parts = parts[:at]
		}
	case sharedHosts[host]:
		return host + "/" + parts[0]
	case !lockGit.MatchString(address):
		return host
	default:
		forge = host
	}
	return "git " + forge + "/" + strings.TrimSuffix(strings.Join(parts, "/"), ".git")
}

// schemeOf returns the scheme of an address with its host.
func schemeOf(address string) string {
	scheme, _, _ := strings.Cut(plainScheme(strings.ToLower(address)), ":")
	return scheme + ": " + hostOf(address)
}
