package cases

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
)

// errLarge reports that a case is too large for a folder of cases.
var errLarge = errors.New("the case is too large")

// Write writes a case into a folder in the form that [Folder] reads. The first version is the base, the
// others are the heads. It does not overwrite an existing case, and leaves no incomplete case after an
// error.
func Write(dir string, c eval.Case, versions ...Files) error {
	if err := checkFiles(versions); err != nil {
		return err
	}
	if c.Heads != 0 && c.Heads != len(versions)-1 {
		return errors.New("heads must be the number of versions behind the base")
	}
	c.Heads = len(versions) - 1
	return writeCase(dir, c, func(own string) error {
		root, err := openRoot(own)
		if err != nil {
			return err
		}
		defer root.Close()
		for i, v := range versions {
			top := "base"
			if i > 0 {
				top = headName(i - 1)
			}
			if err := writeTree(root, top, v); err != nil {
				return err
			}
		}
		return nil
	})
}

func writeTree(root *os.Root, top string, files Files) error {
	if err := root.Mkdir(top, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", top, err)
	}
	for p, content := range files {
		name := path.Join(top, p)
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return fmt.Errorf("make the folder of %s: %w", name, err)
		}
		if err := root.WriteFile(name, []byte(content), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// writeCase makes the folder of a case with case.json and the files of code. It writes to a folder that
// [Folder] ignores, and renames it when it is complete.
func writeCase(dir string, c eval.Case, code func(own string) error) error {
	if err := check(c); err != nil {
		return err
	}
	if diff.CheckPath(c.ID) != nil || strings.ContainsAny(c.ID, `/\`) || strings.HasPrefix(c.ID, ".") {
		return errors.New("id must be a name that a folder can have, without slashes and a leading dot")
	}
	raw, err := encode(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of cases: %w", err)
	}
	final := filepath.Join(dir, c.ID)
	if _, err := os.Lstat(final); err == nil {
		return fmt.Errorf("make the folder of the case %s: %w", c.ID, os.ErrExist)
	}
	tmp, err := os.MkdirTemp(dir, ".case-*")
	if err != nil {
		return fmt.Errorf("make a temporary folder of the case %s: %w", c.ID, withoutPath(err))
	}
	defer func() { _ = os.RemoveAll(tmp) }() // a complete case has been moved by then
	own := filepath.Join(tmp, c.ID)
	if err := os.Mkdir(own, 0o755); err != nil {
		return fmt.Errorf("make the folder of the case %s: %w", c.ID, withoutPath(err))
	}
	if err := os.WriteFile(filepath.Join(own, caseFile), raw, 0o644); err != nil { //nolint:gosec // others may read cases
		return fmt.Errorf("write %s of %s: %w", caseFile, c.ID, withoutPath(err))
	}
	if err := code(own); err != nil {
		return err
	}
	if err := os.Rename(own, final); err != nil {
		return fmt.Errorf("make the folder of the case %s: %w", c.ID, err)
	}
	return nil
}

// written reports whether a folder contains a case completely.
func written(dir string, c eval.Case) bool {
	raw, err := encode(c)
	if err != nil {
		return false
	}
	root, err := openRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	there, err := readRegular(root, path.Join(c.ID, caseFile), maxCaseFile)
	if err != nil || !bytes.Equal(there, raw) {
		return false
	}
	_, _, err = codeForm(root, c.ID)
	return err == nil
}
