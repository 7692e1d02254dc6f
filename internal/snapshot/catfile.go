package snapshot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/sandbox"
)

// catFile is a long-lived git cat-file --batch. It starts with the first request and again after a failure.
type catFile struct {
	git program
	dir string

	mu     sync.Mutex
	wait   func() error // nil: not running
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	closed bool
}

var batchHeader = regexp.MustCompile(`^[0-9a-f]{40,64} (blob|tree|commit|tag) ([0-9]+)$`)

func (c *catFile) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	cmd, err := c.git.command(ctx, call{dir: c.dir, args: []string{"cat-file", "--batch"}})
	if err != nil {
		cancel()
		return err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return err
	}
	wait, err := sandbox.Start(cmd)
	if err != nil {
		cancel()
		return fmt.Errorf("start git: %w", err)
	}
	c.wait, c.cancel, c.in, c.out = wait, cancel, in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// kill ends the process; the next request starts a new one. The caller holds mu.
func (c *catFile) kill() {
	if c.wait == nil {
		return
	}
	c.cancel()
	_ = c.in.Close()
	_ = c.wait()
	c.wait = nil
}

func (c *catFile) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kill()
	c.closed = true
}

// errBatch means that the process ended or broke the protocol.
var errBatch = errors.New("git cat-file ended")

// blob reads the blob of a name such as "<commit>:<path>".
func (c *catFile) blob(ctx context.Context, name string, limit int) ([]byte, error) {
	if strings.ContainsAny(name, "\n\r\x00") {
		return c.single(ctx, name, limit) // the protocol ends a request with a newline
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.closed {
		return nil, fs.ErrClosed
	}
	for attempt := 0; ; attempt++ {
		if c.wait == nil {
			if err := c.start(); err != nil {
				return nil, err
			}
		}
		cancel := c.cancel
		stop := context.AfterFunc(ctx, cancel) // ends the read below
		b, err := c.request(name, limit)
		if !stop() && err != nil {
			c.kill()
			return nil, ctx.Err()
		}
		if !errors.Is(err, errBatch) {
			return b, err
		}
		c.kill()
		if attempt > 0 {
			return nil, err
		}
	}
}

func (c *catFile) request(name string, limit int) ([]byte, error) {
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return nil, errors.Join(errBatch, err)
	}
	header, err := c.out.ReadString('\n')
	if err != nil {
		return nil, errors.Join(errBatch, err)
	}
	m := batchHeader.FindStringSubmatch(strings.TrimSuffix(header, "\n"))
	if m == nil {
		return nil, fs.ErrNotExist // "<name> missing", or an ambiguous or dangling name
	}
	size, err := strconv.Atoi(m[2])
	if err != nil {
		return nil, errors.Join(errBatch, err)
	}
	if size > limit {
		c.kill() // cheaper than reading it to its end
		return nil, tooLarge("file")
	}
	b := make([]byte, size+1) // and the newline that ends an answer
	if _, err := io.ReadFull(c.out, b); err != nil {
		return nil, errors.Join(errBatch, err)
	}
	if m[1] != "blob" {
		return nil, fs.ErrNotExist
	}
	return b[:size], nil
}

// single reads a blob with its own process.
func (c *catFile) single(ctx context.Context, name string, limit int) ([]byte, error) {
	if strings.Contains(name, "\x00") {
		return nil, fs.ErrNotExist
	}
	b, err := c.git.run(ctx, call{dir: c.dir, args: []string{"cat-file", "blob", name}, max: limit, what: "file"})
	if _, failed := errors.AsType[*gitError](err); failed {
		return nil, fs.ErrNotExist
	}
	return b, err
}
