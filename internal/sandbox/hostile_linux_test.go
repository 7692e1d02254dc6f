package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hostile is the first argument of this program as a hostile analyser. The second one is its kind, and the rest name
// things outside.
const hostile = "assay-test-hostile"

// hostileKinds are the attacks of a hostile analyser. Each prints what it has reached as JSON.
var hostileKinds = map[string]func(args []string) map[string]string{
	"network": func(args []string) map[string]string {
		out := map[string]string{}
		for _, to := range []string{"tcp4", "udp4"} {
			c, err := net.Dial(to, args[0])
			if err == nil {
				_, err = c.Write([]byte("out"))
			}
			out[to] = text(err)
		}
		_, err := net.Dial("unix", args[1])
		out["unix"] = text(err)
		_, err = net.Listen("tcp4", "127.0.0.1:0")
		out["listen"] = text(err)
		return out
	},
	"files": func(args []string) map[string]string {
		out := map[string]string{}
		for _, p := range append([]string{"/etc/passwd", "/etc/shadow", "/root", "/home", "/proc/1/environ", "/proc/self/environ", "/sys/kernel",
			"/proc/" + strconv.Itoa(os.Getppid()) + "/environ"}, args...) {
			f, err := os.Open(p)
			if err == nil {
				_, err = io.ReadAll(f)
				if errno, ok := err.(*os.PathError); ok && errno.Err == syscall.EISDIR {
					_, err = f.ReadDir(-1)
				}
			}
			out[p] = text(err)
		}
		return out
	},
	"writes": func(args []string) map[string]string {
		out := map[string]string{}
		for _, p := range append([]string{"/usr/assay-wrote", "/assay-wrote", "/var/tmp/assay-wrote", "/etc/assay-wrote", "assay-wrote"}, args...) {
			out[p] = text(os.WriteFile(p, []byte("x"), 0o600))
		}
		out["chmod"] = text(os.Chmod("given.txt", 0o777)) //nolint:gosec // it must fail
		out["remove"] = text(os.Remove("given.txt"))
		out["mount"] = text(unix.Mount("tmpfs", "/tmp", "tmpfs", 0, ""))
		out["namespace"] = text(unix.Unshare(unix.CLONE_NEWUSER))
		out["setuid"] = text(unix.Setuid(1234))
		return out
	},
	"system": func([]string) map[string]string {
		out := map[string]string{}
		for fd := 3; fd < 256; fd++ {
			if target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && !strings.HasPrefix(target, "anon_inode:") {
				out[fmt.Sprintf("descriptor %d: %s", fd, target)] = ""
			}
		}
		out["signal"] = text(unix.Kill(os.Getppid(), 0))
		out["trace"] = text(unix.PtraceAttach(os.Getppid()))
		for name, kind := range map[string][3]int{"netlink": {unix.AF_NETLINK, unix.SOCK_RAW, 0}, "packets": {unix.AF_PACKET, unix.SOCK_RAW, 0},
			"vsock": {unix.AF_VSOCK, unix.SOCK_STREAM, 0}, "raw": {unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP},
			"kernel crypto": {unix.AF_ALG, unix.SOCK_SEQPACKET, 0}} {
			_, err := unix.Socket(kind[0], kind[1], kind[2])
			out[name] = text(err)
		}
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		out["keys"] = text(err)
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		out["io_uring"] = errno.Error()
		if errno == unix.EFAULT || errno == 0 {
			out["io_uring"] = ""
		}
		return out
	},
	"forks": func(args []string) map[string]string {
		started := 0
		var err error
		for range 10_000 {
			if err = exec.Command(args[0], hostile, "waits").Start(); err != nil {
				break
			}
			started++
		}
		return map[string]string{"started": strconv.Itoa(started), "error": text(err)}
	},
	"fills": func([]string) map[string]string {
		written, block := 0, make([]byte, 1<<20)
		for i := range 100 {
			f, err := os.Create(filepath.Join("/tmp", strconv.Itoa(i)))
			if err != nil {
				break
			}
			for range 10 << 10 {
				n, err := f.Write(block)
				if written += n; err != nil {
					break
				}
			}
			_ = f.Close()
		}
		return map[string]string{"written": strconv.Itoa(written)}
	},
	"floods": func([]string) map[string]string {
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<16)); err != nil {
				return nil
			}
		}
	},
	"waits": func([]string) map[string]string {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		_ = unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0)
		_, _ = unix.Setsid()
		fmt.Println("waits")
		time.Sleep(time.Hour)
		return nil
	},
	"leaves": func(args []string) map[string]string {
		cmd := exec.Command(args[0], hostile, "waits", args[1])
		cmd.Stderr = os.Stdout // keeps the pipe open, and writes nothing into the answer
		return map[string]string{"child": text(cmd.Start())}
	},
	"eats": func([]string) map[string]string {
		var kept [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			kept = append(kept, b)
			if len(kept) > 1<<16 {
				return nil
			}
		}
	},
	"spins": func([]string) map[string]string {
		for n := uint64(1); ; n = n*6364136223846793005 + 1 {
			if n == 0 {
				return nil
			}
		}
	},
	"environment": func([]string) map[string]string {
		out := map[string]string{"user": strconv.Itoa(os.Getuid())}
		for _, v := range os.Environ() {
			out[v] = "set"
		}
		return out
	},
}

// text returns "" for an attack that succeeded.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// attack runs a kind of hostile analyser.
func attack(args []string) {
	if out := hostileKinds[args[0]](args[1:]); out != nil {
		_ = json.NewEncoder(os.Stdout).Encode(out)
	}
}
