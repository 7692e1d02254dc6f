package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-dev/assay/internal/secret"
)

// InstanceKeyFile returns the path of the default instance key.
func (c *Config) InstanceKeyFile() string { return filepath.Join(c.DataDir, "instance.key") }

// EnsureDataDir creates the data folder if it is missing, with access for this user only.
func (c *Config) EnsureDataDir() error {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("make the data folder (ASSAY_DATA_DIR): %w", err)
	}
	return nil
}

// EnsureInstanceKey reads InstanceKey from the file in the data folder unless it is configured. It creates
// the file (mode 0600) at the first start, and reports whether it did. Two processes that start at the same
// time agree on one key. It returns an error if other users can read the file.
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
		return false, fmt.Errorf("the instance key %s can be read by others (mode %04o): run chmod 600 on it, or set "+
			"ASSAY_INSTANCE_KEY_FILE to a key kept elsewhere", path, mode)
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

// createKey writes a new key beside the path and links it into place. The file appears with its whole
// content or not at all, and the first writer wins.
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
