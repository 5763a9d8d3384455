#!/usr/bin/python3
"""A real agent without any SDK: runs `spec.command` of each service. Needs python3-grpcio and python3-protobuf alone.

The messages come from a descriptor image (`buf build -o <file>`), named by the first argument; there is no generated code.
Reading this file is enough to write an agent in any language: handshake, token, life-line, health, phases, news, output.
"""

import concurrent.futures
import hmac
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory


class Contract:
    """Message classes of the image, by full name."""

    def __init__(self, image):
        files = descriptor_pb2.FileDescriptorSet()
        with open(image, "rb") as stream:
            files.ParseFromString(stream.read())
        self.pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            self.pool.Add(file)
        self.factory = message_factory.MessageFactory(self.pool)

    def message(self, name):
        return self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))

    def handlers(self, service, methods):
        """A gRPC handler for each method of `methods`: name -> (request, context) -> dict or iterator of dicts."""
        handlers = {}
        for method in self.pool.FindServiceByName(service).methods:
            call = methods.get(method.name)
            if call is None:
                continue
            request, answer = self.message(method.input_type.full_name), self.message(method.output_type.full_name)
            make = self._make(call, answer)
            if method.name in ("Watch", "Logs"):
                handler = grpc.unary_stream_rpc_method_handler(make, request.FromString, answer.SerializeToString)
            else:
                handler = grpc.unary_unary_rpc_method_handler(make, request.FromString, answer.SerializeToString)
            handlers[method.name] = handler
        return grpc.method_handlers_generic_handler(service, handlers)

    @staticmethod
    def _make(call, answer):
        def unary(request, context):
            given = call(request, context)
            if isinstance(given, dict):
                return json_format.ParseDict(given, answer())
            return (json_format.ParseDict(each, answer()) for each in given)

        return unary


class TokenCheck(grpc.ServerInterceptor):
    """Refuses every call but health that does not carry the token."""

    def __init__(self, token):
        self.token = token
        self.refusal = grpc.unary_unary_rpc_method_handler(
            lambda _request, context: context.abort(grpc.StatusCode.UNAUTHENTICATED, "wrong token")
        )

    def intercept_service(self, continuation, details):
        sent = dict(details.invocation_metadata).get("skein-token", "")
        if details.method.startswith("/grpc.health.v1.Health/") or hmac.compare_digest(sent, self.token):
            return continuation(details)
        return self.refusal


class Feed:
    """Hands pieces to everybody who listens; keeps a bounded number of them while nobody does."""

    def __init__(self):
        self.lock = threading.Lock()
        self.listeners = []
        self.waiting = []

    def put(self, piece):
        with self.lock:
            if not self.listeners:
                self.waiting = (self.waiting + [piece])[-1000:]
            for listener in self.listeners:
                listener.put(piece)

    def listen(self, context):
        mine = queue.Queue()
        with self.lock:
            for piece in self.waiting:
                mine.put(piece)
            self.waiting = []
            self.listeners.append(mine)
        context.add_callback(lambda: mine.put(None))
        try:
            while True:
                piece = mine.get()
                if piece is None:
                    return
                yield piece
        finally:
            with self.lock:
                self.listeners.remove(mine)


OK = {"status": {"state": "STATE_OK"}}


def failed(code, message, **more):
    return {"status": {"state": "STATE_FAILED", "failure": {"code": code, "message": message, **more}}}


class Instance:
    """One service: its settings, and its process of the present generation."""

    def __init__(self, name, agent):
        self.name = name
        self.agent = agent
        self.spec = {}
        self.directory = "/"
        self.state = "INSTANCE_STATE_LOADED"
        self.process = None
        self.generation = 0
        self.stopping = False
        self.exit = None

    def change(self, state):
        self.state = state
        change = {"state": state}
        if self.exit is not None:
            change["exit"] = self.exit
        if state == "INSTANCE_STATE_FAILED":
            change["failure"] = {"code": "EXITED", "message": "the service ended by itself"}
        self.agent.news.put(
            {
                "events": [
                    {
                        "instance": self.name,
                        "timeUnixMs": int(time.time() * 1000),
                        "generation": self.generation,
                        "state": change,
                    }
                ]
            }
        )

    def start(self, environment):
        self.stop(10)
        self.stopping = False
        self.exit = None
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", self.spec["command"]],
            cwd=self.directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.generation += 1
        self.change("INSTANCE_STATE_RUNNING")
        readers = [
            threading.Thread(target=self.read, args=(stream, name), daemon=True)
            for stream, name in ((self.process.stdout, "STREAM_STDOUT"), (self.process.stderr, "STREAM_STDERR"))
        ]
        for reader in readers:
            reader.start()
        threading.Thread(target=self.wait, args=(self.process, readers), daemon=True).start()
        return self.process.pid

    def read(self, pipe, stream):
        for line in pipe:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            now = int(time.time() * 1000)
            self.agent.output.put(
                {"chunks": [{"instance": self.name, "stream": stream, "timeUnixMs": now, "text": text}]}
            )

    def wait(self, process, readers):
        status = process.wait()
        for reader in readers:
            reader.join(timeout=1)
        if status < 0:
            self.exit = {"signal": signal.Signals(-status).name, "pid": process.pid}
        else:
            self.exit = {"code": status, "pid": process.pid}
        if self.stopping:
            self.change("INSTANCE_STATE_STOPPED")
        else:
            self.change("INSTANCE_STATE_COMPLETED" if status == 0 else "INSTANCE_STATE_FAILED")

    def stop(self, seconds):
        if self.process is None or self.process.poll() is not None:
            return "OUTCOME_STOPPED"
        self.stopping = True
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(timeout=seconds)
            return "OUTCOME_STOPPED"
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return "OUTCOME_FORCED"


def process_groups(pid):
    """What proves the group: when its leader began (field 22 of its stat), and the boot; none once it is collected."""
    try:
        with open(f"/proc/{pid}/stat") as stat, open("/proc/sys/kernel/random/boot_id") as boot:
            start = stat.read().rpartition(")")[2].split()[19]
            return [{"pgid": pid, "startIdentity": start, "bootIdentity": boot.read().strip()}]
    except (FileNotFoundError, ProcessLookupError):
        return []


class Agent:
    def __init__(self):
        self.instances = {}
        self.news = Feed()
        self.output = Feed()
        self.ended = threading.Event()

    def information(self, _request, _context):
        return {
            "contract": {"protocol": 1, "capabilities": ["runtime/v1", "multi-service/v1", "watch/v1", "logs/v1"]},
            "name": "test/python",
            "version": "1.0.0",
            "runtimeContexts": ["RUNTIME_CONTEXT_NATIVE"],
            "specSchema": {
                "type": "object",
                "properties": {"command": {"type": "string", "description": "run by /bin/sh"}},
                "required": ["command"],
                "additionalProperties": False,
            },
        }

    def shutdown(self, _request, _context):
        self.let_go()
        self.ended.set()
        return {}

    def let_go(self):
        for instance in list(self.instances.values()):
            instance.stop(5)

    def load(self, request, _context):
        spec = json_format.MessageToDict(request.spec)
        if "command" not in spec:
            return failed("SPEC", "there is no command", violations=[{"pointer": "", "message": "lacks `command`"}])
        instance = self.instances.setdefault(request.instance, Instance(request.instance, self))
        instance.spec = spec
        instance.directory = request.directory or "/"
        return OK

    def init(self, request, _context):
        mappings = [json_format.MessageToDict(mapping) for mapping in request.proposed_network_mappings]
        return {**OK, "networkMappings": mappings}

    def start(self, request, _context):
        instance = self.instances.get(request.instance)
        if instance is None:
            return failed("NOT_LOADED", f"{request.instance} is not loaded")
        pid = instance.start({variable.name: variable.value for variable in request.environment})
        return {**OK, "generation": instance.generation, "processGroups": process_groups(pid)}

    def stop(self, request, _context):
        instance = self.instances.get(request.instance)
        seconds = request.timeout_ms / 1000 if request.HasField("timeout_ms") else 10
        return {**OK, "outcome": "OUTCOME_STOPPED" if instance is None else instance.stop(seconds)}

    def destroy(self, request, _context):
        instance = self.instances.pop(request.instance, None)
        if instance is not None:
            instance.stop(10)
        return OK

    def state(self, request, _context):
        instance = self.instances.get(request.instance)
        if instance is None:
            return {"state": "INSTANCE_STATE_STOPPED"}
        return {"state": instance.state, "generation": instance.generation}


def main():
    if os.environ.get("SKEIN_AGENT") != "1":
        print("test/python 1.0.0, an agent of skein; it is launched by skein", file=sys.stderr)
        sys.exit(2)
    bootstrap = json.loads(sys.stdin.readline())
    contract = Contract(sys.argv[1])
    agent = Agent()
    server = grpc.server(
        concurrent.futures.ThreadPoolExecutor(max_workers=32),
        interceptors=[TokenCheck(bootstrap["token"])],
        options=[("grpc.max_receive_message_length", 16 << 20), ("grpc.max_send_message_length", 16 << 20)],
    )
    server.add_generic_rpc_handlers(
        (
            contract.handlers("grpc.health.v1.Health", {"Check": lambda _request, _context: {"status": "SERVING"}}),
            contract.handlers(
                "skein.agent.v1.AgentService",
                {"GetAgentInformation": agent.information, "Shutdown": agent.shutdown},
            ),
            contract.handlers(
                "skein.runtime.v1.RuntimeService",
                {
                    "Load": agent.load,
                    "Init": agent.init,
                    "Start": agent.start,
                    "Stop": agent.stop,
                    "Destroy": agent.destroy,
                    "Information": agent.state,
                    "Watch": lambda _request, context: agent.news.listen(context),
                    "Logs": lambda _request, context: agent.output.listen(context),
                },
            ),
        )
    )
    server.add_insecure_port("unix:" + bootstrap["socket"])
    server.start()
    os.chmod(bootstrap["socket"], 0o600)
    print("skein|1|unix:" + bootstrap["socket"], flush=True)

    def life_line():
        # Ends when the host is gone, however it went.
        sys.stdin.read()
        agent.let_go()
        agent.ended.set()

    threading.Thread(target=life_line, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda _number, _frame: agent.ended.set())
    while not agent.ended.wait(timeout=3600):
        pass
    agent.let_go()
    server.stop(grace=0.2).wait()


main()
