package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/assay-dev/assay/internal/sandbox"
)

func raw(number uintptr, args ...uintptr) error {
	args = append(args, 0, 0, 0, 0)
	if _, _, errno := syscall.RawSyscall6(number, args[0], args[1], args[2], args[3], 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// prepared are resources of the parent: ports that accept everything, a socket that programs inherit,
// and its process id.
type prepared struct{ UDP, TCP, Inherited, Parent int }

// ways tries every way to the network or to another process. An error is nil if the attempt succeeded.

func ways(p prepared) map[string]error {
	open := func(family, kind, protocol int) error {
		fd, err := unix.Socket(family, kind, protocol)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}
	dial := func(network string, port int) error {
		c, err := net.Dial(network, fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_, err = c.Write([]byte("out"))
			_ = c.Close()
		}
		return err
	}
	listen := func(network, address string) error {
		l, err := net.Listen(network, address)
		if err == nil {
			_ = l.Close()
		}
		return err
	}
	out := map[string]error{
		"udp": dial("udp4", p.UDP), "tcp": dial("tcp4", p.TCP), "tcp listen": listen("tcp4", "127.0.0.1:0"),
		"unix listen": listen("unix", fmt.Sprintf("@assay-sandbox-test-%d", os.Getpid())),
		"unix":        open(unix.AF_UNIX, unix.SOCK_STREAM, 0), "unix datagram": open(unix.AF_UNIX, unix.SOCK_DGRAM, 0),
		"udp 6": open(unix.AF_INET6, unix.SOCK_DGRAM, 0), "netlink": open(unix.AF_NETLINK, unix.SOCK_RAW, 0),
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if out["socket pair"] = err; err == nil {
		_, _ = unix.Close(pair[0]), unix.Close(pair[1])
	}
	_, err = unix.Write(p.Inherited, []byte("out"))
	out["inherited socket"] = err
	out["signal of the parent"] = unix.Kill(p.Parent, 0)
	out["message queue"] = raw(unix.SYS_MSGGET, unix.IPC_PRIVATE, 0o600|unix.IPC_CREAT)
	var limit unix.Rlimit
	out["limits of the parent"] = unix.Prlimit(p.Parent, unix.RLIMIT_CPU, nil, &limit)
	var pipe [2]int
	if out["pipe"] = unix.Pipe2(pipe[:], unix.O_CLOEXEC); out["pipe"] == nil {
		_, out["signal by a pipe"] = unix.FcntlInt(uintptr(pipe[0]), unix.F_SETOWN, p.Parent)
		_, out["another signal by a pipe"] = unix.FcntlInt(uintptr(pipe[0]), unix.F_SETSIG, 0)
		_, _ = unix.Close(pipe[0]), unix.Close(pipe[1])
	}
	if out["pipe"] == nil { // which the rules allow
		delete(out, "pipe")
	}
	memory, err := unix.Mmap(-1, 0, 1<<12, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if out["memory that is not counted"] = err; err == nil {
		_ = unix.Munmap(memory)
	}
	var processors unix.CPUSet
	if err = unix.SchedGetaffinity(p.Parent, &processors); err == nil {
		err = unix.SchedSetaffinity(p.Parent, &processors)
	}
	out["processors of the parent"] = err
	_, err = os.StartProcess("/proc/self/exe", []string{"x", "-test.list=^$"}, &os.ProcAttr{})
	out["program"] = err
	return out
}

// onlyRefused tries calls that need rights the test may lack, or that would harm it.
func onlyRefused(p prepared) map[string]error {
	var ring [120]byte // struct io_uring_params
	out := map[string]error{
		"priority of reads": raw(unix.SYS_IOPRIO_SET, 1, uintptr(p.Parent), 3<<13), "schedule": raw(unix.SYS_SCHED_SETSCHEDULER, uintptr(p.Parent), 0, uintptr(unsafe.Pointer(&ring))),
		"memory file": raw(unix.SYS_MEMFD_CREATE, uintptr(unsafe.Pointer(&ring)), 0), "secret memory": raw(unix.SYS_MEMFD_SECRET, 0),
		"io_uring": raw(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&ring))),
		"ptrace":   raw(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(p.Parent)), "pidfd": raw(unix.SYS_PIDFD_OPEN, uintptr(p.Parent)),
		"fork": raw(unix.SYS_CLONE, uintptr(unix.SIGCHLD)), "session": raw(unix.SYS_SETSID), "user namespace": raw(unix.SYS_UNSHARE, unix.CLONE_NEWUSER),
		"outlive the parent": unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0), "send": unix.Sendto(1, []byte("x"), 0, &unix.SockaddrInet4{Port: 9}),
	}
	for name, family := range map[string]int{"raw": unix.AF_INET, "packet": unix.AF_PACKET, "vsock": unix.AF_VSOCK, "bluetooth": unix.AF_BLUETOOTH,
		"kernel crypto": unix.AF_ALG, "express data": unix.AF_XDP} {
		_, out[name] = unix.Socket(family, unix.SOCK_RAW, 1)
	}
	// Calls that are newer than the filter, and the second set of calls of the architecture, do not
	// exist.
	for name, number := range map[string]uintptr{"clone3": unix.SYS_CLONE3, "unknown": 4000, "x32 socket": 0x40000000 | unix.SYS_SOCKET} {
		if err := raw(number, uintptr(unsafe.Pointer(&ring)), 88); errors.Is(err, unix.ENOSYS) {
			out[name] = unix.EPERM
		} else {
			out[name] = fmt.Errorf("%v, want ENOSYS", err)
		}
	}
	return out
}

// tryNetwork is the work of a child that tries all ways out.
func tryNetwork(c *sandbox.Conn) error {
	var p prepared
	if err := c.Receive(&p); err != nil {
		return err
	}
	answer := map[string]string{}
	done := make(chan map[string]error)
	for _, try := range []func(prepared) map[string]error{ways, onlyRefused} {
		go func() { done <- try(p) }() // on another thread, too
		for name, err := range <-done {
			switch {
			case err == nil:
				answer[name] = "done"
			case errors.Is(err, os.ErrPermission), name == "inherited socket" && errors.Is(err, unix.EBADF):
			default:
				answer[name] = err.Error()
			}
		}
	}
	return c.Send(answer)
}

func TestAChildReachesNoNetwork(t *testing.T) {
	u, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0) // open for started programs, as from a supervisor of services
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(pair[1]) }()
	p := prepared{u.LocalAddr().(*net.UDPAddr).Port, l.Addr().(*net.TCPAddr).Port, pair[0], os.Getpid()}
	for name, err := range ways(p) { // the control: without a filter each way leads out
		if err != nil {
			t.Errorf("%s does not work outside: %v", name, err)
		}
	}
	c := start(t, "network", sandbox.Limits{})
	if !c.Status.Seccomp && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skipf("no filter of system calls: %q", c.Status.Missing)
	}
	if !c.Status.Seccomp {
		t.Errorf("the filter of system calls is not in force: %q", c.Status.Missing)
	}
	var got map[string]string
	if err := ask(c, t.Context(), &p, &got); err != nil {
		t.Fatal(err)
	}
	for name, what := range got {
		t.Errorf("%s: %s", name, what)
	}
	_ = unix.Close(pair[0]) // so that the other end reads to its end
	b := make([]byte, 10)
	if n, err := unix.Read(pair[1], b); err != nil || !bytes.Equal(b[:n], []byte("out")) { // of the control
		t.Errorf("the inherited socket carried %q, %v", b[:n], err)
	}
}
