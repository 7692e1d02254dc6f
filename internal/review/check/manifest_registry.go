package check

import (
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

var (
	npmrcRegistry = regexp.MustCompile(`^\s*(?:@[\w.-]+:)?registry\s*=\s*(\S+)`)
	pipRegistry   = regexp.MustCompile(`^\s*(?:--(?:extra-)?index-url|-i|(?:extra-)?index-url\s*=)[\s=]*(https?://\S+)`)
	mavenURL      = regexp.MustCompile(`<url>\s*(https?://[^<\s]+)\s*</url>`)
	pipSource     = regexp.MustCompile(`^\s*(?:-e\s+|--editable[\s=]+)?(?:([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*@\s*)?` +
		`((?:git|hg|svn|bzr)\+\S+|https?://\S+)`)
	pipFile = regexp.MustCompile(`^(?:requirements|constraints)[\w.-]*\.txt$`)
)

// registryLines returns the pattern of a line that names a registry in a file of that name, nil for other files.
func registryLines(base string) *regexp.Regexp {
	switch {
	case base == ".npmrc":
		return npmrcRegistry
	case pipFile.MatchString(base), base == "pip.conf":
		return pipRegistry
	case base == "pom.xml":
		return mavenURL
	}
	return nil
}

// registries reports registries that a file names line by line, and packages of pip from an address.
func (r *manifestReading) registries() error {
	base := strings.ToLower(path.Base(r.path))
	form := registryLines(base)
	isRepository := base != "pom.xml"
	isPublished := false // within the place to which the project itself is sent
	for i, line := range r.lines {
		if len(line) > maxOwnerLine {
			continue
		}
		if base == "pom.xml" {
			isPublished = (isPublished || strings.Contains(line, "<distributionManagement>")) && !strings.Contains(line, "</distributionManagement>")
			switch {
			case isPublished, strings.Contains(line, "</repository>"), strings.Contains(line, "</pluginRepository>"):
				isRepository = !isPublished && strings.Contains(line, "epository><") // the whole repository is on this line
			case strings.Contains(line, "<repository>"), strings.Contains(line, "<pluginRepository>"):
				isRepository = true
			}
		}
		if m := form.FindStringSubmatch(line); m != nil && isRepository {
			r.registry(m[1], i+1)
			continue
		}
		if !pipFile.MatchString(base) {
			continue
		}
		if m := pipSource.FindStringSubmatch(line); m != nil {
			name := m[1]
			if name == "" {
				name = strings.TrimSuffix(path.Base(withoutQuery(m[2])), ".git")
			}
			r.source(name, m[2], i+1)
		}
	}
	return nil
}

func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

// registry reports a registry that is not a public one.
func (r *manifestReading) registry(address string, line int) {
	host := hostOf(address)
	if strings.Contains(host, "$") || slices.Contains(registries, host) {
		return
	}
	r.add("assay/manifest-registry", wording.TitleManifestRegistry, wording.SayManifestRegistry, line, originOf(address), host)
}
