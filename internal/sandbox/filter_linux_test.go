//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"fmt"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter runs in a virtual machine, so that calls of other architectures can be tried.
func TestTheFilterJudgesEachCall(t *testing.T) {
	t.Parallel()
	const pid, eperm, enosys = 4711, unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM), unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	vm, err := bpf.NewVM(filter(pid, powers{}))
	if err != nil {
		t.Fatal(err)
	}
	other := uint32(unix.AUDIT_ARCH_AARCH64)
	if arch == unix.AUDIT_ARCH_AARCH64 {
		other = unix.AUDIT_ARCH_X86_64
	}
	type call struct {
		arch, number, arg uint32
		want              uint32
	}
	type further struct{ number, at, arg, want uint32 } // compares an argument other than the first
	calls := map[string]call{
		"read": {arch, unix.SYS_READ, 0, unix.SECCOMP_RET_ALLOW}, "write": {arch, unix.SYS_WRITE, 1, unix.SECCOMP_RET_ALLOW}, "futex": {arch, unix.SYS_FUTEX, 0, unix.SECCOMP_RET_ALLOW},
		"limits of its own": {arch, unix.SYS_PRLIMIT64, 0, unix.SECCOMP_RET_ALLOW}, "limits of another": {arch, unix.SYS_PRLIMIT64, 1, eperm},
		"exit": {arch, unix.SYS_EXIT_GROUP, 0, unix.SECCOMP_RET_ALLOW}, "newest": {arch, newestCall - 1, 0, unix.SECCOMP_RET_ALLOW},
		"thread":         {arch, unix.SYS_CLONE, unix.CLONE_VM | unix.CLONE_THREAD, unix.SECCOMP_RET_ALLOW},
		"process":        {arch, unix.SYS_CLONE, uint32(unix.SIGCHLD), eperm},
		"vfork by clone": {arch, unix.SYS_CLONE, unix.CLONE_VM | unix.CLONE_VFORK, eperm},
		"own signal":     {arch, unix.SYS_KILL, pid, unix.SECCOMP_RET_ALLOW}, "own thread": {arch, unix.SYS_TGKILL, pid, unix.SECCOMP_RET_ALLOW},
		"signal": {arch, unix.SYS_KILL, 1, eperm}, "group": {arch, unix.SYS_KILL, 0, eperm}, "everyone": {arch, unix.SYS_KILL, ^uint32(0), eperm},
		"thread of another":  {arch, unix.SYS_TGKILL, pid + 1, eperm},
		"name of the thread": {arch, unix.SYS_PRCTL, unix.PR_SET_NAME, unix.SECCOMP_RET_ALLOW}, "no signal at the parent's end": {arch, unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, eperm},
		"clone3": {arch, unix.SYS_CLONE3, 0, enosys}, "unknown": {arch, newestCall + 1, 0, enosys}, "negative": {arch, ^uint32(0), 0, enosys},
		"x32": {arch, 0x40000000 | unix.SYS_SOCKET, 0, enosys}, "other architecture": {other, unix.SYS_READ, 0, eperm},
		"i386 socket": {unix.AUDIT_ARCH_I386, 359, 0, eperm}, "i386 socketcall": {unix.AUDIT_ARCH_I386, 102, 0, eperm}, "arm": {unix.AUDIT_ARCH_ARM, 281, 0, eperm},
	}
	for _, number := range refusedCalls {
		calls[fmt.Sprint(number)] = call{arch, number, pid, eperm}
	}
	others := map[string]further{
		"memory": {unix.SYS_MMAP, 3, unix.MAP_PRIVATE | unix.MAP_ANON, unix.SECCOMP_RET_ALLOW}, "shared memory": {unix.SYS_MMAP, 3, unix.MAP_SHARED | unix.MAP_ANON, eperm},
		"validated shared memory": {unix.SYS_MMAP, 3, unix.MAP_SHARED_VALIDATE, eperm},
		"flags of a file":         {unix.SYS_FCNTL, 1, unix.F_GETFL, unix.SECCOMP_RET_ALLOW}, "owner of a file": {unix.SYS_FCNTL, 1, unix.F_SETOWN, eperm},
		"owner of another kind": {unix.SYS_FCNTL, 1, unix.F_SETOWN_EX, eperm}, "signal of a file": {unix.SYS_FCNTL, 1, unix.F_SETSIG, eperm},
	}
	for name, c := range others {
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data[dataNumber:], c.number)
		binary.BigEndian.PutUint32(data[dataArch:], arch)
		binary.BigEndian.PutUint32(data[dataArgs+8*c.at:], c.arg)
		if got, err := vm.Run(data); err != nil || uint32(got) != c.want { //nolint:gosec // the answer has 32 bits
			t.Errorf("%q: %#x, want %#x, %v", name, got, c.want, err)
		}
	}
	for name, c := range calls {
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data[dataNumber:], c.number) // the virtual machine reads in network byte order, the kernel in that of the processor
		binary.BigEndian.PutUint32(data[dataArch:], c.arch)
		binary.BigEndian.PutUint32(data[dataArgs:], c.arg)
		got, err := vm.Run(data)
		if err != nil || uint32(got) != c.want { //nolint:gosec // the answer has 32 bits
			t.Errorf("%q (%d of %#x, %d): %#x, want %#x, %v", name, c.number, c.arch, c.arg, got, c.want, err)
		}
	}
}
