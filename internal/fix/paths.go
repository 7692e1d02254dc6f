package fix

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/snapshot"
)

// maxPath is the most bytes of a path in an answer (the bound of file systems).
const maxPath = 4096

// ciNames are definitions of CI and of build servers beside those that [diff.Classify] knows, in lower case.
var ciNames = []string{"jenkinsfile", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml",
	"bitbucket-pipelines.yml", "bitbucket-pipelines.yaml", ".drone.yml", ".drone.yaml", "appveyor.yml", ".appveyor.yml", "cloudbuild.yaml",
	"cloudbuild.yml", "buildspec.yml", "buildspec.yaml", ".cirrus.yml", ".woodpecker.yml", ".woodpecker.yaml",
	"codefresh.yml", ".semaphore.yml",
	"wercker.yml", "renovate.json", ".renovaterc", ".renovaterc.json", ".pre-commit-config.yaml", ".pre-commit-config.yml",
	"lefthook.yml", ".goreleaser.yml", ".goreleaser.yaml"}

// ciFolders are folders of such definitions, in lower case.
var ciFolders = []string{".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".gitlab/ci", ".gitlab-ci", ".buildkite",
	".woodpecker", ".azure-pipelines", "azure-pipelines", ".teamcity", ".husky", ".githooks", ".semaphore", ".jenkins",
	".harness", ".drone", "bamboo-specs", ".azuredevops", ".bitbucket", ".tekton", ".kokoro"}

// isCI reports whether a path has a definition of CI.
func isCI(name string) bool {
	if class, _ := diff.Classify(name, nil); class == diff.ClassCI {
		return true
	}
	lower := strings.ToLower(name)
	base := path.Base(lower)
	if slices.Contains(ciNames, base) || strings.HasPrefix(base, "jenkinsfile") || strings.HasPrefix(base, "azure-pipelines") ||
		strings.HasSuffix(base, ".gitlab-ci.yml") {
		return true
	}
	return slices.ContainsFunc(ciFolders, func(f string) bool {
		return strings.HasPrefix(lower, f+"/") || strings.Contains(lower, "/"+f+"/")
	})
}

// linters are the names of files that configure linters, scanners and reports of coverage, in lower case, beside those of
// [analysers.IsConfiguration].
var linters = []string{".golangci.*", ".staticcheck.conf", "staticcheck.conf", ".gitleaks.toml", ".gitleaksignore", ".trivyignore*",
	"trivy.yaml", ".yamllint*", ".markdownlint*", ".stylelintrc*", "stylelint.config.*", ".jshintrc", ".jscsrc", "tslint.json",
	".rubocop*.yml", ".bandit",
	"bandit.yaml", "mypy.ini", ".mypy.ini", "pyrightconfig.json", "phpstan.neon*", "psalm.xml*", "phpcs.xml*", ".checkov.*", ".tflint.hcl",
	"checkstyle*.xml", "pmd*.xml", "spotbugs*.xml", "detekt*.yml", ".swiftlint.yml", ".clang-tidy", "clippy.toml", ".clippy.toml", "deny.toml",
	".coveragerc", ".nycrc*", "codecov.yml", ".codecov.yml", ".codeclimate.yml", "sonar-project.properties", ".snyk", ".secrets.baseline"}

// isLinter reports whether a file configures what checks the code.
func isLinter(name string) bool {
	return analysers.IsConfiguration(name) || glob.Any(linters, strings.ToLower(path.Base(name)))
}

// isLock reports whether a name is that of a lock file by its end.
func isLock(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.ContainsFunc([]string{".lock", ".lockb", ".lockfile", "-lock.json", "-lock.yaml", ".sum", ".lock.json", ".lock.hcl"},
		func(end string) bool { return strings.HasSuffix(base, end) }) || base == "npm-shrinkwrap.json"
}

// isInstruction reports whether a path steers reviewers: people, assistants, or the review's view of files.
func isInstruction(name string) bool {
	switch strings.ToLower(path.Base(name)) {
	case "codeowners", ".gitattributes", "contributing.md", "security.md":
		return true
	}
	return guideline.Is(name) || guideline.IsSettings(name) || diff.Instructions(name)
}

// isSettings reports whether a path is that of the repository's settings file.
func isSettings(name string) bool {
	base := strings.ToLower(path.Base(name))
	return base == ".assay.yaml" || base == ".assay.yml"
}

// validPath reports whether a model's path is one of the tree, as people see it.
func validPath(name string) bool {
	return len(name) <= maxPath && diff.CheckPath(name) == nil && !strings.ContainsAny(name, "\\:") && !check.Hidden(name) &&
		strings.IndexFunc(name, unicode.IsControl) < 0 && name == strings.TrimSpace(name)
}

// allowed returns why a file must not be edited for a finding, or "". home reports that the finding stands in the file.
func (r *run) allowed(ctx context.Context, name string, home bool) (Reason, error) {
	switch {
	case !validPath(name):
		return PathInvalid, nil
	case change.ExcludedPath(name, r.in.Policy) != "":
		return PathExcluded, nil
	case home:
	case isSettings(name):
		return PathSettings, nil
	case isCI(name):
		return PathCI, nil
	case diff.LockName(name), isLock(name):
		return PathLock, nil
	case isInstruction(name):
		return PathGuidelines, nil
	case isLinter(name):
		return PathAnalysers, nil
	}
	return r.kind(ctx, name)
}

// kind returns why the entry at a path cannot be edited, or "".
func (r *run) kind(ctx context.Context, name string) (Reason, error) {
	if f := r.set.File(name); f != nil {
		switch {
		case f.Class == diff.ClassSymlink || f.Mode == diff.ModeSymlink:
			return PathLink, nil
		case f.Class == diff.ClassSubmodule || f.Mode == diff.ModeSubmodule:
			return PathSubmodule, nil
		case f.Status == diff.Deleted:
			return PathMissing, nil
		}
	}
	lister, ok := r.in.Source.(snapshot.Lister)
	if !ok {
		return "", nil
	}
	parts := strings.Split(name, "/")
	for i := range parts {
		e, err := lister.Entry(ctx, domain.Right, strings.Join(parts[:i+1], "/"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return PathMissing, nil
		case err != nil:
			return "", err
		case e.Mode == diff.ModeSymlink:
			return PathLink, nil
		case e.Mode == diff.ModeSubmodule:
			return PathSubmodule, nil
		case i == len(parts)-1 && e.Mode == snapshot.ModeFolder:
			return PathMissing, nil
		}
	}
	return "", nil
}

// open reads a file of the head for editing, once for each path, or says why it cannot be edited.
func (r *run) open(ctx context.Context, name string, home bool) (*document, Reason, error) {
	if why, err := r.allowed(ctx, name, home); why != "" || err != nil {
		return nil, why, err
	}
	r.mu.Lock()
	d := r.docs[name]
	r.mu.Unlock()
	if d == nil {
		raw, err := r.bounds.Blob(ctx, domain.Right, name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && r.bounds.RefusedPath(name), errs.Is(err, errs.TooLarge), err == nil && !isText(raw):
			return nil, PathBinary, nil
		case errors.Is(err, fs.ErrNotExist):
			return nil, PathMissing, nil
		case err != nil:
			return nil, "", err
		}
		if _, err := r.redacted.Blob(ctx, domain.Right, name); err != nil { // learns the secrets of the file
			if ctx.Err() != nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, check.ErrUnchecked) {
				return nil, "", err
			}
			return nil, Unchecked, nil
		}
		d = newDocument(name, raw, r.redact)
		r.mu.Lock()
		r.docs[name] = d
		r.mu.Unlock()
	}
	if !home && r.generated(name, d) {
		return nil, PathGenerated, nil
	}
	if d.class == diff.ClassLock && !home {
		return nil, PathLock, nil
	}
	return d, "", nil
}

// generated reports whether a program or other people write the file.
func (r *run) generated(name string, d *document) bool {
	if f := r.set.File(name); f != nil && isMade(f.Class) {
		return true
	}
	third := []string{"vendor", "node_modules", "third_party", "third-party", "dist", "generated"}
	return isMade(d.class) || diff.Marked(d.raw) || len(diff.VendorProofs(name)) > 0 ||
		slices.ContainsFunc(strings.Split(strings.ToLower(path.Dir(name)), "/"), func(part string) bool { return slices.Contains(third, part) })
}

func isMade(c diff.Class) bool {
	return c == diff.ClassGenerated || c == diff.ClassVendored || c == diff.ClassMinified || c == diff.ClassBinary
}
