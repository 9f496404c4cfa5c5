# expect: certain-crash 15
class Account:
    def __init__(self, balance=0):
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount
        return self.balance


account = Account(10)
account.deposit(5)
account.deposit(7)
account.deposit(1)
print(account.get_balance())
