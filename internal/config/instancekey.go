package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-dev/assay/internal/secret"
)

// InstanceKeyFile returns the path of the key that is used when none is set.
func (c *Config) InstanceKeyFile() string { return filepath.Join(c.DataDir, "instance.key") }

// EnsureDataDir makes the data folder, for this user only, where it is missing.
func (c *Config) EnsureDataDir() error {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("make the data folder (ASSAY_DATA_DIR): %w", err)
	}
	return nil
}

// EnsureInstanceKey sets InstanceKey from the file in the data folder where it
// is not configured, and makes that file (mode 0600) at the first start. It
// reports whether it made one. Two processes that start at once agree on one
// key. A file that others may read is refused.
func (c *Config) EnsureInstanceKey() (made bool, err error) {
	if c.InstanceKey.IsSet() {
		return false, nil
	}
	if err := c.EnsureDataDir(); err != nil {
		return false, err
	}
	path := c.InstanceKeyFile()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if made, err = createKey(path); err != nil {
			return false, fmt.Errorf("make the instance key: %w", err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, fmt.Errorf("read the instance key: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return false, fmt.Errorf("the instance key %s can be read by others (mode %04o): run chmod 600 on it, or set ASSAY_INSTANCE_KEY_FILE to a key kept elsewhere", path, mode)
	}
	text, err := readSecretFile(path)
	if err != nil {
		return false, fmt.Errorf("read the instance key: %w", err)
	}
	key := secret.New(text)
	if _, err := secret.ParseKeys(key); err != nil {
		return false, fmt.Errorf("the file %s cannot be used: %w", path, err)
	}
	c.InstanceKey = key
	return made, nil
}

// createKey writes a fresh key beside the path and links it into place: the
// file appears with its whole content or not at all, and the first one wins.
func createKey(path string) (bool, error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".instance-key-*") // mode 0600
	if err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(secret.NewToken(secret.InstanceKey).Reveal() + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return false, err
	}
	if err := os.Link(tmp.Name(), path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}
